/* SPDX-License-Identifier: MIT */
/*
 * Commands: one table for all dialects. A dialect finds the command, makes a JSON object of its
 * arguments, checks them here and calls the function, which does not depend on the dialect's
 * syntax. Like its session, a call is used by one thread at a time.
 */
#ifndef MON_COMMAND_H
#define MON_COMMAND_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"

struct monitor_session;

/* The dialects that a command belongs to. */
enum dialect_bit { HMP = 1, QMP = 2, STRATOVIRT = 4 };

/* Classes of errors, from QMP. */
#define GENERIC_ERROR "GenericError"
#define COMMAND_NOT_FOUND "CommandNotFound"

/* A call of a command, and the reason of its failure. */
struct call {
	struct monitor_session *session;
	const struct command *command;
	json_t *arguments; /* an object with the given arguments; borrowed */
	const char *error_class; /* NULL: it did not fail */
	char error[1024]; /* UTF-8: one line, or several separated by newlines */
};

struct command {
	const char *name; /* may be two words in HMP */
	unsigned int dialects;
	const char *parameters;
	json_t *(*run)(struct call *call); /* returns NULL after call_fail() */
	void (*print)(FILE *out, const json_t *result); /* NULL: prints nothing */
	const char *help;
};

/* The table; its last name is NULL. */
extern const struct command commands[];

#define commands_foreach(c) for (const struct command *c = commands; c->name; c++)

/* One parameter of a command. */
struct param {
	char name[32];
	char type[32];
	bool optional;
};

/* Reads the next parameter of a list; false at its end. */
bool param_next(struct param *p, const char **parameters);

/* Prints the parameters in a line of help: " name on|off [vcpu]". */
void command_print_usage(FILE *out, const struct command *command);

/* True if the parameter's type is a list of words, or if that list has `word`. */
bool param_is_choice(const struct param *p);
bool param_has_word(const struct param *p, const char *word);

/* Returns the command of that name in a dialect; NULL if there is none. */
const struct command *command_find(const char *name, unsigned int dialect);

/*
 * Checks the arguments: names, types, none missing. Returns false after failing the call, in QMP's
 * words.
 */
bool command_check(struct call *call);

/* Fails the call; the class is GenericError. Returns NULL, for `return call_fail(...)`. */
json_t *call_fail(struct call *call, const char *fmt, ...) PRINTF(2, 3);

/* Returns `result`; if it is NULL, for lack of memory, fails the call. */
json_t *call_return(struct call *call, json_t *result);

/* Return an argument by its name, borrowed; NULL, or `otherwise`, if it is missing. */
const char *call_string(const struct call *call, const char *name);
bool call_bool(const struct call *call, const char *name, bool otherwise);

/*
 * Makes JSON from text of the program and the system: names of threads, programs and files are
 * bytes, and a message may be cut inside a character. Bytes that are not UTF-8 become \xHH, as in
 * the runtime's messages. Returns NULL without memory.
 */
json_t *text_as_json(const char *text);

/* Return a string or number of an object; NULL or 0 if it has none of that name. */
static inline const char *member_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

static inline long long member_number(const json_t *object, const char *name)
{
	return (long long)json_integer_value(json_object_get(object, name));
}

/*
 * Returns Waymark's version in the form of QMP, with the members that clients expect: {"qemu":
 * {"micro", "minor", "major"}, "package"}. NULL without memory.
 */
json_t *version_as_json(void);

/* The functions of the table, in files by subject. */
json_t *event_states(struct call *call);
json_t *event_switch(struct call *call);
json_t *event_switch_typed(struct call *call);
json_t *output_control(struct call *call);
json_t *output_typed(struct call *call);
json_t *snapshot(struct call *call);
json_t *trigger_switch(struct call *call);
json_t *triggers(struct call *call);
json_t *categories(struct call *call);
json_t *stats(struct call *call);
json_t *stats_in_full(struct call *call);
json_t *log_file(struct call *call);
json_t *log_items(struct call *call);
json_t *attach(struct call *call);
json_t *detach(struct call *call);
json_t *human_command(struct call *call);
json_t *query_commands(struct call *call);
json_t *query_version(struct call *call);
json_t *capabilities(struct call *call);
json_t *help(struct call *call);
json_t *quit(struct call *call);

void print_event_states(FILE *out, const json_t *result);
void print_misfits(FILE *out, const json_t *result);
void print_triggers(FILE *out, const json_t *result);
void print_categories(FILE *out, const json_t *result);
void print_output(FILE *out, const json_t *result);
void print_snapshot(FILE *out, const json_t *result);
void print_stats(FILE *out, const json_t *result);
void print_version(FILE *out, const json_t *result);
void print_text(FILE *out, const json_t *result);

#endif
