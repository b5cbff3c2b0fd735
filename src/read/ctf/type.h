/* SPDX-License-Identifier: MIT */
/*
 * Types of CTF metadata as far as Waymark's traces use them: integers, floats
 * (as the bits they are), structs of them and of arrays, and the variant of a debug value. Private
 * to src/read/ctf.
 */
#ifndef READ_CTF_TYPE_H
#define READ_CTF_TYPE_H

#include "base/hash.h"
#include "base/vec.h"
#include "read/ctf/scan.h"
#include "read/reader.h"

struct ctf_type {
	uint16_t size; /* bits */
	uint16_t align; /* bits */
	bool is_signed;
	bool is_hex; /* to be shown so: a pointer */
	bool is_float;
	bool is_text; /* has an encoding */
	bool is_kind; /* the enumeration of what a debug value is */
	bool is_variant; /* a debug value: `length_field` of its field is the one of its kind */
	bool has_order; /* a byte order of its own */
	bool is_big_endian; /* which is this */
};

struct ctf_field {
	const char *name;
	struct ctf_type type; /* of one element */
	unsigned int line;
	uint64_t elements; /* 1 where it is no array */
	/* That has the number of elements, NULL: it is fixed; of a variant, that has its kind. */
	const char *length_field;
};

struct ctf_struct {
	VEC(struct ctf_field) fields;
};

/* What reads declarations: the text, the names of types, and what went wrong first. */
struct ctf_parser {
	struct ctf_scan scan;
	struct arena *arena;
	struct hash *types; /* struct ctf_type by name */
	struct read_error *error;
};

/* Words the error `metadata:line: what`; returns false. */
bool ctf_fail(struct ctf_parser *p, const char *fmt, ...) PRINTF(2, 3);

/* Takes the token, or fails saying that `what` was expected. */
bool ctf_expect(struct ctf_parser *p, int token, const char *what);

/* Takes `name =` or `name :=`, or fails saying that `what` was expected. */
bool ctf_expect_assigned(struct ctf_parser *p, struct span *name, const char *what);

/* Takes what is left of `name = value;` once its `=` or `:=` is taken, whatever it is. */
bool ctf_skip_value(struct ctf_parser *p);

/* Reads a type of one number, whose first word is the token just read. */
bool ctf_read_type(struct ctf_parser *p, struct ctf_type *t);

/* Reads ` : <type> { ... }` from behind `enum`. */
bool ctf_read_enum(struct ctf_parser *p, struct ctf_type *t);

/* Reads ` debug <kind>` from behind `variant`. */
bool ctf_read_variant_type(struct ctf_parser *p, struct ctf_field *f);

/* Reads `typealias <type> := <name>;` from behind its first word. */
bool ctf_read_typealias(struct ctf_parser *p);

/* Reads `struct { ... } align(n)`; the caller frees the fields, after a failure, too. */
bool ctf_read_struct(struct ctf_parser *p, struct ctf_struct *s);

#endif
