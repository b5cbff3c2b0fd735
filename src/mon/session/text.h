/* SPDX-License-Identifier: MIT */
/*
 * Text of the program's and the system's as JSON can have it: names of threads,
 * programs and files are bytes, and a message may be cut within a character. What is
 * no UTF-8 becomes \xHH, as in the runtime's messages.
 */
#ifndef MON_TEXT_H
#define MON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Copies what fits into `size` bytes, a NUL at the end among them. */
void text_copy(char *out, size_t size, const char *text);

/* NULL where there is no memory. */
json_t *text_as_json(const char *text);

#endif
