/* SPDX-License-Identifier: MIT */
/*
 * Regular expressions as the crate regex of Rust reads them, written as extended ones
 * of POSIX that find the same names. What POSIX would take for something else is
 * refused, never misread. libc only, inside of traced programs too: no state, no abort.
 */
#ifndef BASE_RUST_REGEX_H
#define BASE_RUST_REGEX_H

#include <stddef.h>

/*
 * The pattern of waymark/control.h that finds what `text` does: its expression between
 * slashes. NULL with the reason in `why`, one line, where it is empty, has what
 * names of events never have, or what cannot be said, or where there is no memory.
 * Whether it is well-formed otherwise is for regcomp() to say. The caller frees it.
 */
char *waymark_rust_regex_pattern(const char *text, char *why, size_t size);

#endif
