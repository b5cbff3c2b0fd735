/* SPDX-License-Identifier: MIT */
/*
 * The C types that an event's argument may have. Plain data: what a type is
 * called, how wide it is on 32- and 64-bit hosts, and how printf names it.
 */
#ifndef MODEL_TYPE_H
#define MODEL_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_class {
	TYPE_INTEGER, /* signed or unsigned, _Bool and char included */
	TYPE_POINTER,
	TYPE_STRING, /* exactly `char *` or `const char *` */
	TYPE_TCG, /* a value of the translated guest: exists only at execution */
};

struct type {
	const char *text; /* as declared, blanks made regular: `const char *` */
	const char *length; /* printf length modifier: "", "hh", "l", "z", ... or "64" for PRIx64 */
	enum type_class class;
	bool is_signed;
	bool is_bool;
	bool is_char; /* `char` itself, whose signedness the host decides */
	uint8_t size32; /* bytes on an ILP32 host */
	uint8_t size64; /* bytes on an LP64 host */
};

#endif
