/* SPDX-License-Identifier: MIT */
/*
 * Tokens of the language of CTF metadata, limited to the part that Waymark's traces use. Comments
 * are skipped, but a declaration of an event (format/ctf.h) in one is kept until the next. Private
 * to src/read/ctf.
 */
#ifndef READ_CTF_SCAN_H
#define READ_CTF_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "text/scan.h"

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

#endif
