/* SPDX-License-Identifier: MIT */
/*
 * The parser of CTF metadata, limited to the language of Waymark's traces: types of integers,
 * floats (as their bits) and enumerations, structs of them and of arrays, and the variant of a
 * debug value. parser.c reads types, event.c events, metadata.c all other blocks. Private to
 * src/read/ctf.
 */
#ifndef READ_CTF_PARSER_H
#define READ_CTF_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "read/ctf/metadata.h"
#include "text/scan.h"

/* ---- Tokens ---- */

/*
 * Comments are skipped, but a declaration of an event (format/ctf.h) in one is kept until the next.
 */

/* Every other token is its own character. */
enum ctf_token {
	CTF_TOKEN_END = 0x100, /* end of the text */
	CTF_TOKEN_CUT, /* a string or a comment without an end */
	CTF_TOKEN_WORD, /* may contain dots: `packet.header` */
	CTF_TOKEN_NUMBER,
	CTF_TOKEN_STRING,
	CTF_TOKEN_ASSIGN, /* := */
};

struct ctf_scan {
	const char *pos;
	const char *end;
	unsigned int line; /* line of `pos`, from 1 */
	/* the token that was read last: */
	int token; /* of enum ctf_token, or a character */
	struct span text; /* a string without its quotes */
	uint64_t number; /* two's complement */
	unsigned int token_line;
	/* the text of the last comment that declares an event; text NULL: none */
	struct span declaration;
	bool declaration_is_toml; /* else in the language of trace-events files */
};

void ctf_scan_init(struct ctf_scan *s, const char *text, size_t size, unsigned int line);

/* Reads the next token and returns it. */
int ctf_scan_next(struct ctf_scan *s);

/* Reads the next token if it is `token`. */
bool ctf_scan_accept(struct ctf_scan *s, int token);

/* Returns the text of a string with its escapes resolved, in `a`; NUL-terminated. */
char *ctf_scan_string(struct arena *a, struct span text);

/* Moves past the first `;` outside of braces; false if the text ends before. */
bool ctf_scan_skip(struct ctf_scan *s);

struct ctf_type {
	uint16_t size; /* bits */
	uint16_t align; /* bits */
	bool is_signed;
	bool is_hex; /* shown in hexadecimal: a pointer */
	bool is_float;
	bool is_text; /* has an encoding */
	bool is_kind; /* the enumeration of the kinds of debug values */
	bool is_variant; /* a debug value; its field's `length_field` names the field of its kind */
	bool has_order; /* has its own byte order: is_big_endian */
	bool is_big_endian;
};

struct ctf_field {
	const char *name;
	struct ctf_type type; /* of one element */
	unsigned int line;
	uint64_t elements; /* 1 if it is no array */
	/* name of the field with the number of elements, or with a variant's kind; NULL: none */
	const char *length_field;
};

struct ctf_struct {
	VEC(struct ctf_field) fields;
};

/* The parser's state within one declaration. */
struct ctf_parser {
	struct ctf_scan scan;
	struct arena *arena;
	struct hash *types; /* struct ctf_type by name */
	struct read_error *error; /* the last error */
};

/* Sets the error `metadata:line: text`; returns false. */
bool ctf_fail(struct ctf_parser *p, const char *fmt, ...) PRINTF(2, 3);

/* Reads the next token; fails with the message that `what` was expected if it is another one. */
bool ctf_expect(struct ctf_parser *p, int token, const char *what);

/* Skips the rest of `name = value;` after its `=` or `:=`, whatever the value is. */
bool ctf_skip_value(struct ctf_parser *p);

/* Reads one value: begins after its `=`, ends after its `;`. */
typedef bool ctf_read_attribute(struct ctf_parser *p, void *data, struct span name);

/* Reads `{ name = value; ... };`. `what` describes the names in errors. */
bool ctf_read_block(struct ctf_parser *p, const char *what, ctf_read_attribute *read, void *data);

/* Reads `typealias <type> := <name>;`, after its first word. */
bool ctf_read_typealias(struct ctf_parser *p);

/* Reads `struct { ... } align(n)`. The caller frees the fields, also after a failure. */
bool ctf_read_struct(struct ctf_parser *p, struct ctf_struct *s);

/* Reads `variant <name> { ... };`, after its first word. Sets md->pointer_bytes. */
bool ctf_read_variant(struct ctf_parser *p, struct ctf_metadata *md);

/*
 * Reads `event { id = 1; name = "..."; ... };`, after its first word, and adds it to the metadata's
 * events. In event.c. Returns false if an error makes the event unreadable.
 */
bool ctf_read_event(struct ctf_parser *p, struct ctf_metadata *md);

#endif
