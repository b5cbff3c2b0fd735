/* SPDX-License-Identifier: MIT */
/*
 * Shared by the formats for SystemTap. Each writes a tapset: a file of probe
 * aliases, one for each event that is not disabled, which a script uses under
 * their names. A tapset that is made for a program stands for itself: it asks for no
 * other one, and what it defines for its own use is seen in its file alone.
 */
#ifndef EMIT_FORMAT_STAP_H
#define EMIT_FORMAT_STAP_H

#include "emit/emit.h"

struct stap_tapset {
	const char *about; /* a line, for the head of the file */
	const char *infix; /* between the prefix and the event's name: "log.", or "" */
	const char *macros; /* what the probes use: definitions, each with its line feed */
	/* Writes what the probe does once its arguments have names; NULL: nothing. */
	void (*emit_body)(struct emit_context *c, const struct event *e, size_t id);
};

/* Writes the whole file. */
void stap_emit(struct emit_context *c, const struct stap_tapset *tapset);

/* An argument's name in SystemTap's language: never one of its words, unique in the event. */
const char *stap_name(struct emit_context *c, const struct event *e, size_t arg);

/* The name of the length of a text or of bytes that have one. */
const char *stap_length_name(struct emit_context *c, const struct event *e, size_t arg);

/*
 * How many bytes of a string may be read, see c_precision(): `4`, `(n < 0 ? 8192 : n)`;
 * NULL: all up to its NUL.
 */
const char *stap_most(struct emit_context *c, const struct event *e, size_t arg);

/*
 * What SystemTap's printf takes to print a line of an event: process, time, name, and
 * the message that C's printf would make. The text uses STAP_PRINTF_MACROS.
 */
const char *stap_printf(struct emit_context *c, const struct event *e);

/* Text that cannot be read is <unreadable>; a line feed in it is written as C writes it. */
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
