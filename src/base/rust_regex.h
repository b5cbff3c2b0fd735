/* SPDX-License-Identifier: MIT */
/*
 * Converts regular expressions of Rust's crate regex to extended ones of POSIX that find the same
 * names. An expression with another meaning in POSIX is refused. Uses libc only, and may be used in
 * traced programs: no state, no abort.
 */
#ifndef BASE_RUST_REGEX_H
#define BASE_RUST_REGEX_H

#include <stddef.h>

/*
 * Returns the pattern of waymark/control.h that finds what `text` does: its expression between
 * slashes; the caller frees it. Returns NULL with the reason in `why`, one line, if the expression
 * is empty, has characters that no event's name has or cannot be translated, or if memory is
 * exhausted. regcomp() checks the rest of the syntax.
 */
char *waymark_rust_regex_pattern(const char *text, char *why, size_t size);

#endif
