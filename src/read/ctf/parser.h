/* SPDX-License-Identifier: MIT */
/*
 * The parser of CTF metadata, as far as Waymark's traces use the language: types of integers,
 * floats (as the bits they are) and enumerations, structs of them and of arrays, and the variant
 * of a debug value. parser.c reads types, event.c events, metadata.c all other blocks. Private to
 * src/read/ctf.
 */
#ifndef READ_CTF_PARSER_H
#define READ_CTF_PARSER_H

#include "base/hash.h"
#include "base/vec.h"
#include "read/ctf/metadata.h"
#include "read/ctf/scan.h"

struct ctf_type {
	uint16_t size; /* bits */
	uint16_t align; /* bits */
	bool is_signed;
	bool is_hex; /* shown in hexadecimal: a pointer */
	bool is_float;
	bool is_text; /* has an encoding */
	bool is_kind; /* the enumeration of the kinds of debug values */
	bool is_variant; /* a debug value; its field's `length_field` names the field of its kind */
	bool has_order; /* a byte order of its own: is_big_endian */
	bool is_big_endian;
};

struct ctf_field {
	const char *name;
	struct ctf_type type; /* of one element */
	unsigned int line;
	uint64_t elements; /* 1 where it is no array */
	/* the field with the number of elements, of a variant with its kind; NULL: none */
	const char *length_field;
};

struct ctf_struct {
	VEC(struct ctf_field) fields;
};

/* The state of the parser, for one declaration. */
struct ctf_parser {
	struct ctf_scan scan;
	struct arena *arena;
	struct hash *types; /* struct ctf_type by name */
	struct read_error *error; /* the last one */
};

/* Sets the error `metadata:line: text`; returns false. */
bool ctf_fail(struct ctf_parser *p, const char *fmt, ...) PRINTF(2, 3);

/* Takes the token, or fails saying that `what` was expected. */
bool ctf_expect(struct ctf_parser *p, int token, const char *what);

/* Takes the rest of `name = value;` behind its `=` or `:=`, whatever the value is. */
bool ctf_skip_value(struct ctf_parser *p);

/* Reads one value: begins after its `=`, ends after its `;`. */
typedef bool ctf_read_attribute(struct ctf_parser *p, void *data, struct span name);

/* Reads `{ name = value; ... };`. `what` is what its names are, for errors. */
bool ctf_read_block(struct ctf_parser *p, const char *what, ctf_read_attribute *read, void *data);

/* Reads `typealias <type> := <name>;` from behind its first word. */
bool ctf_read_typealias(struct ctf_parser *p);

/* Reads `struct { ... } align(n)`. The caller frees the fields, also after a failure. */
bool ctf_read_struct(struct ctf_parser *p, struct ctf_struct *s);

/* Reads `variant <name> { ... };` from behind its first word. Sets md->pointer_bytes. */
bool ctf_read_variant(struct ctf_parser *p, struct ctf_metadata *md);

/*
 * Reads `event { id = 1; name = "..."; ... };` from behind its first word and adds it to the
 * metadata's events. In event.c; false after an error: such an event cannot be read.
 */
bool ctf_read_event(struct ctf_parser *p, struct ctf_metadata *md);

#endif
