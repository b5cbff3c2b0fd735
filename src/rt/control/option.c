/* SPDX-License-Identifier: MIT */
/*
 * The keys of an option: reads the value of each into the config, prints their help, and refuses
 * unknown ones. The keys are the rows of options.def. parse.c calls this for each key.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/init.h>

#include "base/compiler.h"
#include "base/nearest.h"
#include "rt/control/events_file.h"
#include "rt/control/option.h"
#include "rt/host/error.h"
#include "rt/text/log_prefix.h"

/* The size of the largest packet, so that a file is not much larger than requested. */
#define ROTATE_MIN (UINT64_C(1) << 20)

const struct waymark_backend_name waymark_backend_names[] = {
#define BACKEND_NAME(bit, upper, lower, kind, help) [bit] = { #lower, WAYMARK_##upper },
	WAYMARK_ALL_BACKENDS(BACKEND_NAME)
#undef BACKEND_NAME
};

const size_t waymark_backend_count = ARRAY_SIZE(waymark_backend_names);

bool waymark_option_is_help(const char *text)
{
	return strcmp(text, "help") == 0 || strcmp(text, "?") == 0;
}

/* parse.c has set `begins` if this is the first key. */
static int take_dialect(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	if (!c->begins) {
		return waymark_fail(error,
			"dialect=%s must be the first key of the option: the keys before it are read",
			value);
	}
	if (waymark_dialect_find(&c->use.dialect, value, error) < 0) {
		return -1;
	}
	c->use.is_named = true;
	return waymark_dialect_check(&c->use, error);
}

static int take_enable(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	if (waymark_option_is_help(value)) {
		c->help = true;
		return 0;
	}
	return waymark_rules_add(&c->rules, value, WAYMARK_ANY_BACKEND, error);
}

static int take_events(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	if (*value == '\0') {
		return waymark_fail(error, "events= needs the name of a file");
	}
	struct waymark_error reason;

	return waymark_events_file_read(&c->rules, value, &reason) == 0
		       ? 0
		       : waymark_fail(error, "events=: %s", reason.text);
}

static int take_regex(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	bool on = *value != '-';
	size_t before = c->rules.count;

	if (waymark_option_is_help(value)) {
		c->help = true;
		return 0;
	}
	if (waymark_regex_add(&c->rules, value + !on, error) < 0) {
		return -1;
	}
	c->rules.items[before].on = on;
	return 0;
}

/* For the two keys of StratoVirt's dialect whose file is a list of expressions. */
static int take_list(
	struct waymark_config *c, const char *key, const char *value, struct waymark_error *error)
{
	struct waymark_error reason;

	if (*value == '\0') {
		return waymark_fail(error, "%s= needs the name of a file", key);
	}
	return waymark_regex_file_read(&c->rules, value, &reason) == 0
		       ? 0
		       : waymark_fail(error, "%s=: %s", key, reason.text);
}

static int take_events_list(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return take_list(c, "events", value, error);
}

static int take_file_list(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return take_list(c, "file", value, error);
}

/* Adds the backend of that name, `len` bytes long. */
static int add_backend(
	struct waymark_config *c, const char *name, size_t len, struct waymark_error *error)
{
	for (size_t i = 0; i < waymark_backend_count; i++) {
		const struct waymark_backend_name *b = &waymark_backend_names[i];

		if (strlen(b->name) != len || strncmp(b->name, name, len) != 0) {
			continue;
		}
		if (b->backend & WAYMARK_OUTSIDE_BACKENDS) {
			return waymark_fail(error,
				"backend=: '%s' is switched by external tracers: remove it here",
				b->name);
		}
		c->backends |= b->backend;
		return 0;
	}
	return waymark_fail(error, "backend=: unknown backend '%.*s'", (int)len, name);
}

static int take_backend(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	for (;;) {
		size_t len = strcspn(value, "+");

		if (add_backend(c, value, len, error) < 0) {
			return -1;
		}
		if (value[len] == '\0') {
			return 0;
		}
		value += len + 1;
	}
}

/* The last value of a key wins. */
static int keep_text(char **text, const char *value, struct waymark_error *error)
{
	free(*text);
	*text = strdup(value);
	return *text ? 0 : waymark_fail(error, "out of memory");
}

static int keep_path(char **path, const char *key, const char *value, struct waymark_error *error)
{
	if (*value == '\0') {
		return waymark_fail(error, "%s= needs the name of a file", key);
	}
	return keep_text(path, value, error);
}

static int take_file(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->after_file = 0;
	return keep_path(&c->file, "file", value, error);
}

static int take_ctf_file(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->after_file |= WAYMARK_CTF;
	return keep_path(&c->ctf_file, "ctf.file", value, error);
}

static int take_simple_file(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->after_file |= WAYMARK_SIMPLE;
	return keep_path(&c->simple_file, "simple.file", value, error);
}

static int take_log_file(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->after_file |= WAYMARK_LOG;
	return keep_path(&c->log_file, "log.file", value, error);
}

static int take_log_prefix(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->log_prefix = waymark_log_prefix_name(value);
	if (c->log_prefix) {
		return 0;
	}
	return waymark_fail(
		error, "log.prefix=: '%s' is not one of default, iso, none, stratovirt", value);
}

static int take_ftrace_style(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(
		&c->ftrace_style, "ftrace.style", value, WORDS("text", "atrace", "hitrace"), error);
}

static int take_ftrace_instance(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	if (*value == '\0') {
		return waymark_fail(error, "ftrace.instance= needs a directory in instances/");
	}
	return keep_path(&c->ftrace_instance, "ftrace.instance", value, error);
}

static int take_type(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(&c->type, "type", value, WORDS("all", "events", "scopes"), error);
}

static int take_crash(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(&c->crash, "crash", value, WORDS("on", "off", "all"), error);
}

static int take_replace(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(&c->replace, "replace", value, WORDS("on", "off"), error);
}

static int take_stats(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(&c->stats, "stats", value, WORDS("on", "off"), error);
}

static int take_full(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(
		&c->full, "full", value, WORDS("discard", "overwrite", "block"), error);
}

static int take_buffer(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_size(&c->buffer, "buffer", value, error);
}

static int take_string(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_size(&c->string, "string", value, error);
}

static int take_leftovers(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->has_leftovers = true;
	c->leftovers = strcmp(value, "off") == 0 ? UINT64_MAX : 0;
	return c->leftovers || strcmp(value, "0") == 0
		       ? 0
		       : waymark_take_size(&c->leftovers, "leftovers", value, error);
}

static int take_rotate(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	if (waymark_take_size(&c->rotate, "rotate", value, error) < 0) {
		return -1;
	}
	return c->rotate >= ROTATE_MIN
		       ? 0
		       : waymark_fail(error,
				 "rotate=: '%s' is too small; a tracefile has at least 1M", value);
}

static int take_keep(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_count(&c->keep, "keep", 1000000, value, error);
}

static int take_jail(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->jail = 0;
	c->jail_off = strcmp(value, "off") == 0;
	if (c->jail_off ||
		waymark_take_count(&c->jail, "jail", WAYMARK_JAIL_MAX, value, error) == 0) {
		return 0;
	}
	return waymark_fail(error, "jail=: '%s' is neither off nor a number from 1 to %u", value,
		WAYMARK_JAIL_MAX);
}

static int take_syslog_rate(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_count(&c->syslog_rate, "syslog.rate", 1000000, value, error);
}

static int take_flush(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	uint64_t seconds;

	if (waymark_take_count(&seconds, "flush", 3600, value, error) < 0) {
		return -1;
	}
	c->flush_ns = seconds * UINT64_C(1000000000);
	return 0;
}

static int take_snapshot(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	c->snapshot = waymark_signal_named(value);
	return c->snapshot ? 0
			   : waymark_fail(error,
				     "snapshot=: '%s' is not a signal that can be used; "
				     "write USR1, USR2 or a number",
				     value);
}

/* A name without a `/` is more likely a mistake than a socket in the current directory. */
static bool is_place(const char *value)
{
	return strchr(value, '/') || strcmp(value, "on") == 0 || strcmp(value, "auto") == 0 ||
	       strcmp(value, "stdio") == 0 || strncmp(value, "fd:", 3) == 0;
}

static int refuse_place(const char *value, struct waymark_error *error)
{
	struct nearest best = nearest_begin(value, strlen(value));

	nearest_offer(&best, "on");
	nearest_offer(&best, "stdio");
	/* Whoever writes `off` does not mean `on`. */
	bool is_near = nearest_is_near(&best) && best.distance * 2 < strlen(value);

	return waymark_fail(error,
		"control=: '%s' is not one of on, auto, stdio and fd:N%s%s%s A socket's name needs a '/', "
		"as in ./%s",
		value, is_near ? "; did you mean '" : ".", is_near ? best.name : "",
		is_near ? "'?" : "", value);
}

static int take_control(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	if (*value == '\0') {
		return waymark_fail(
			error, "control= needs on, auto, stdio, fd:N or the path of a socket");
	}
	if (!is_place(value)) {
		return refuse_place(value, error);
	}
	return keep_text(&c->monitor.where, value, error);
}

static int take_control_mode(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return waymark_take_word(&c->monitor.mode, "control-mode", value,
		WORDS("qmp", "hmp", "stratovirt", "stratovirt-2023"), error);
}

static int take_control_prompt(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return keep_text(&c->monitor.prompt, value, error);
}

static const struct {
	const char *key;
	enum dialect_bit dialects;
	int (*take)(struct waymark_config *c, const char *value, struct waymark_error *error);
} options[] = {
#define WAYMARK_OPTION(key, dialect, take, value, help) { key, DIALECT_##dialect, take },
#include "rt/control/options.def"
#undef WAYMARK_OPTION
};

/* A row's text in each dialect; rows of another dialect add nothing. */
#define WAYMARK_both(text) text
#define WAYMARK_waymark(text) text
#define WAYMARK_stratovirt(text) ""
#define STRATOVIRT_both(text) text
#define STRATOVIRT_waymark(text) ""
#define STRATOVIRT_stratovirt(text) text

static const struct {
	const char *help;
	const char *keys;
} texts[] = {
    [WAYMARK_DIALECT_WAYMARK] =
        {
#define WAYMARK_OPTION(key, dialect, take, value, help) \
	WAYMARK_##dialect("  " key "=" value "\n      " help "\n")
#include "rt/control/options.def"
#undef WAYMARK_OPTION
            "  help\n      list the events and exit\n",
#define WAYMARK_OPTION(key, dialect, take, value, help) WAYMARK_##dialect(key "=, ")
#include "rt/control/options.def"
#undef WAYMARK_OPTION
            "help",
        },
    [WAYMARK_DIALECT_STRATOVIRT] =
        {
#define WAYMARK_OPTION(key, dialect, take, value, help) \
	STRATOVIRT_##dialect("  " key "=" value "\n      " help "\n")
#include "rt/control/options.def"
#undef WAYMARK_OPTION
            "  help\n      list the events and exit\n",
#define WAYMARK_OPTION(key, dialect, take, value, help) STRATOVIRT_##dialect(key "=, ")
#include "rt/control/options.def"
#undef WAYMARK_OPTION
            "help",
        },
};

const char *waymark_option_help(void)
{
	return texts[waymark_dialect_get()].help;
}

static bool is_of(size_t row, enum waymark_dialect dialect)
{
	return options[row].dialects & 1u << dialect;
}

/* Returns the key of that name in another dialect; NULL if there is none. */
static const char *other_dialect(const char *key, enum waymark_dialect dialect)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (strcmp(options[i].key, key) == 0 && !is_of(i, dialect)) {
			return waymark_dialect_name(options[i].dialects == DIALECT_waymark
							    ? WAYMARK_DIALECT_WAYMARK
							    : WAYMARK_DIALECT_STRATOVIRT);
		}
	}
	return NULL;
}

static int refuse_key(const char *key, enum waymark_dialect dialect, struct waymark_error *error)
{
	const char *other = other_dialect(key, dialect);
	struct nearest best = nearest_begin(key, strlen(key));

	if (other) {
		return waymark_fail(error,
			"Invalid parameter '%s': it belongs to the dialect %s; begin this option "
			"with dialect=%s",
			key, other, other);
	}
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (is_of(i, dialect)) {
			nearest_offer(&best, options[i].key);
		}
	}
	if (nearest_is_near(&best)) {
		return waymark_fail(
			error, "Invalid parameter '%s'; did you mean '%s='?", key, best.name);
	}
	return waymark_fail(
		error, "Invalid parameter '%s'; there are %s", key, texts[dialect].keys);
}

int waymark_option_take(
	struct waymark_config *c, const char *key, const char *value, struct waymark_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		if (is_of(i, c->use.dialect) && strcmp(options[i].key, key) == 0) {
			return options[i].take(c, value, error);
		}
	}
	return refuse_key(key, c->use.dialect, error);
}
