/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions of Rust's crate regex, written as extended ones of POSIX that find the same
 * names. An expression that POSIX would read in another way is refused. libc only, also in traced
 * programs: no state, no abort.
 */
#ifndef BASE_RUST_REGEX_H
#define BASE_RUST_REGEX_H

#include <stddef.h>

/*
 * The pattern of waymark/control.h that finds what `text` does: its expression between slashes;
 * the caller frees it. NULL with the reason in `why`, one line, if the expression is empty, has
 * characters that no name of an event has or cannot be translated, or if memory is exhausted.
 * regcomp() checks the rest of the syntax.
 */
char *waymark_rust_regex_pattern(const char *text, char *why, size_t size);

#endif
