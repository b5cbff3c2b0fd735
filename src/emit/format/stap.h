/* SPDX-License-Identifier: MIT */
/*
 * Shared by the formats for SystemTap. Each writes a tapset: a file of probe aliases, one for each
 * event that is not disabled, which scripts use by their names. A tapset that is made for a program
 * is self-contained: it needs no other tapset, and its own definitions are visible in its file
 * only.
 */
#ifndef EMIT_FORMAT_STAP_H
#define EMIT_FORMAT_STAP_H

#include "emit/emit.h"

struct stap_tapset {
	const char *about; /* one line, for the head of the file */
	const char *infix; /* between the prefix and the event's name: "log.", or "" */
	const char *macros; /* definitions that the probes use, each with its line feed */
	/* Writes the probe's actions once its arguments have names; NULL: none. */
	void (*emit_body)(struct emit_context *c, const struct event *e, size_t id);
};

/* Writes the whole file. */
void stap_emit(struct emit_context *c, const struct stap_tapset *tapset);

/* Returns an argument's name in SystemTap's language: no reserved word, unique in the event. */
const char *stap_name(struct emit_context *c, const struct event *e, size_t arg);

/* Returns the name of the length of a text or bytes with a length. */
const char *stap_length_name(struct emit_context *c, const struct event *e, size_t arg);

/*
 * Returns the limit of bytes read of a string, see c_precision(): `4`, `(n < 0 ? 8192 : n)`; NULL
 * if it is read up to its NUL.
 */
const char *stap_most(struct emit_context *c, const struct event *e, size_t arg);

/*
 * Returns the arguments of SystemTap's printf to print a line of an event: process, time, name, and
 * the message that C's printf would make. The text uses STAP_PRINTF_MACROS.
 */
const char *stap_printf(struct emit_context *c, const struct event *e);

/* Prints unreadable text as <unreadable>, and a line feed in a text like C. */
#define STAP_PRINTF_MACROS                                                                            \
	"@define waymark_text(address) %(\n"                                                          \
	"\t(@address\n"                                                                               \
	"\t\t? str_replace(user_string(@address, \"<unreadable>\"), \"\\n\", \"\\\\n\")\n"            \
	"\t\t: \"(null)\")\n"                                                                         \
	"%)\n"                                                                                        \
	"@define waymark_counted(address, length) %(\n"                                               \
	"\t(@address\n"                                                                               \
	"\t\t? str_replace(user_string_n(@address, @length, \"<unreadable>\"), \"\\n\", \"\\\\n\")\n" \
	"\t\t: \"(null)\")\n"                                                                         \
	"%)\n"                                                                                        \
	"@define waymark_pointer(address) %(\n"                                                       \
	"\t(@address ? sprintf(\"%#x\", @address) : \"(nil)\")\n"                                     \
	"%)\n"

#endif
