/* SPDX-License-Identifier: MIT */
/*
 * The language of the -trace option (waymark-trace(7)), read into a struct. Reading changes
 * nothing but memory, and opens only the events files that an option names; config.h puts the
 * struct into force.
 */
#ifndef RT_CONTROL_OPTION_H
#define RT_CONTROL_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rt/control/dialect.h"
#include "rt/control/monitor.h"
#include "rt/event/rule.h"

struct waymark_config {
	struct dialect_use use;
	bool begins; /* the key that is being read is the first */
	bool was_read; /* read from a text */
	struct waymark_rules rules;
	const char *type; /* "all", "events", "scopes"; NULL: not given */
	unsigned int backends; /* to which the rules are limited; 0: not limited */
	/*
	 * For the first loaded backend that has a file. With backend= it becomes the own file of
	 * the first backend named there.
	 */
	char *file;
	unsigned int after_file; /* backends whose own key came after `file` */
	char *ctf_file;
	char *simple_file;
	char *log_file;
	uint64_t buffer; /* 0: not given */
	uint64_t rotate; /* 0: not given */
	uint64_t keep; /* 0: not given */
	uint64_t flush_ns; /* 0: not given */
	int snapshot; /* a signal; 0: not given */
	const char *full; /* "discard", "overwrite", "block"; NULL: not given */
	const char *replace; /* "on", "off"; NULL: not given */
	const char *log_prefix; /* NULL: not given */
	uint64_t syslog_rate; /* messages a second; 0: not given */
	const char *ftrace_style; /* "text", "atrace"; NULL: not given */
	char *ftrace_instance; /* NULL: not given */
	const char *crash; /* "on", "off", "all"; NULL: not given */
	uint64_t string; /* 0: not given */
	uint64_t jail; /* processes; 0: not given */
	uint64_t leftovers; /* bytes, or RECORDER_LEFTOVERS_OFF */
	bool has_leftovers; /* leftovers= was given */
	bool jail_off; /* no filter kills, so do not warn */
	const char *stats; /* "on", "off"; NULL: not given */
	struct monitor_wish monitor;
	bool help;
	/*
	 * The config is from the environment, not an option: if a name is taken, use a derived one.
	 */
	bool yields;
};

/* The backends by their names in options. */
struct waymark_backend_name {
	const char *name;
	unsigned int backend;
};

extern const struct waymark_backend_name waymark_backend_names[];
extern const size_t waymark_backend_count;

/*
 * Reads one option. Returns 0, or -1 with the reason. In both cases the caller must call
 * waymark_config_fini().
 */
int waymark_option_parse(struct waymark_config *c, const char *text, struct waymark_error *error);

/* Reads the value of one key. Returns 0, or -1 with the reason. */
int waymark_option_take(
	struct waymark_config *c, const char *key, const char *value, struct waymark_error *error);

/* Returns true if a pattern asks for the list of events. */
bool waymark_option_is_help(const char *text);

void waymark_config_fini(struct waymark_config *c);

/* Returns the backends whose own key (ctf.file= and similar) has a value. */
unsigned int waymark_config_outputs(const struct waymark_config *c);

/*
 * Applies `file` to `backend`, which must have a file: of `file` and the backend's own key, keeps
 * the later one.
 */
void waymark_config_settle_file(struct waymark_config *c, unsigned int backend);

/*
 * ---- Values (value.c) ----
 *
 * For the functions of options.def. Each returns 0, or -1 with the reason, unless it says
 * otherwise. Any thread may call them.
 */

/* Takes one of several words; `*to` gets the list's string. */
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
int waymark_take_word(const char **to, const char *key, const char *value, const char *const *words,
	struct waymark_error *error);

/* Takes a size above 0 in bytes, with K, M or G after it. */
int waymark_take_size(
	uint64_t *to, const char *key, const char *value, struct waymark_error *error);

/* Takes a number from 1 to `max`. */
int waymark_take_count(uint64_t *to, const char *key, uint64_t max, const char *value,
	struct waymark_error *error);

/*
 * Returns the number of `USR2`, `SIGUSR2` or `12`. Returns 0 if there is no such signal, or if its
 * handler may not simply return: faults, SIGABRT, SIGKILL, SIGSTOP.
 */
int waymark_signal_named(const char *name);

#endif
