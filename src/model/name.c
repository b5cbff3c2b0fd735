/* SPDX-License-Identifier: MIT */
/*
 * Checks names of events and arguments against model/reserved.def, and makes the names of arguments
 * in C.
 */
#include "model/name.h"

#include <string.h>

#include "base/compiler.h"

enum reserved { FREE, KEYWORD, RENAMED, CONTROL };

static const struct {
	const char *name;
	size_t len;
	enum reserved kind;
} reserved_names[] = {
#define RESERVED(name, kind) { #name, sizeof(#name) - 1, kind },
#include "model/reserved.def"
#undef RESERVED
};

static enum reserved reserved_kind(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(reserved_names); i++) {
		if (reserved_names[i].len == name.len &&
			memcmp(reserved_names[i].name, name.text, name.len) == 0) {
			return reserved_names[i].kind;
		}
	}
	return FREE;
}

bool name_is_free(const char *name)
{
	struct span span = { name, strlen(name) };
	enum reserved kind = reserved_kind(span);

	return kind != KEYWORD && kind != RENAMED && !type_is_word(name, span.len);
}

static bool check_letters(struct span name, const char *what, struct location at, struct diag *d)
{
	for (size_t i = 0; i < name.len; i++, at.offset++) {
		int c = (unsigned char)name.text[i];

		if (!is_letter(c) && !is_digit(c)) {
			diag_error(d, at, "use the letters a to z, digits and '_'",
				"the %s name '%.*s' is not a name in C", what, SPAN_ARGS(name));
			return false;
		}
	}
	return true;
}

bool name_check_event(struct span name, struct location at, struct diag *d)
{
	if (!check_letters(name, "event", at, d)) {
		return false;
	}
	switch (reserved_kind(name)) {
	case KEYWORD:
		diag_error(d, at, "choose another name",
			"'%.*s' is a keyword of C and cannot name an event", SPAN_ARGS(name));
		return false;
	case CONTROL:
		diag_error(d, at, "choose another name",
			"the event's function trace_%.*s() would collide with that of "
			"\"trace/control.h\"",
			SPAN_ARGS(name));
		return false;
	default:
		return true;
	}
}

bool name_check_arg(struct span name, struct location at, struct diag *d)
{
	if (!check_letters(name, "argument", at, d)) {
		return false;
	}
	/* An event's name may begin with a digit: all names made from it have a prefix. */
	if (is_digit((unsigned char)name.text[0])) {
		diag_error(d, at, "begin it with a letter",
			"the argument name '%.*s' begins with a digit", SPAN_ARGS(name));
		return false;
	}
	if (reserved_kind(name) == KEYWORD) {
		diag_error(d, at, "choose another name",
			"'%.*s' is a keyword of C and cannot name an argument", SPAN_ARGS(name));
		return false;
	}
	if (type_is_word(name.text, name.len)) {
		diag_error(d, at, "choose another name",
			"'%.*s' is a type and cannot name an argument", SPAN_ARGS(name));
		return false;
	}
	return true;
}

static bool has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* True if the name is by convention a macro's: `SIZE_MAX`, or a program's own. */
static bool is_capital(const char *name)
{
	return name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")] == '\0' &&
	       name[strcspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] != '\0';
}

static const char *small_letters(struct arena *a, const char *name)
{
	char *small = arena_strdup(a, name);

	for (char *c = small; *c; c++) {
		if (*c >= 'A' && *c <= 'Z') {
			*c = (char)(*c - 'A' + 'a');
		}
	}
	return small;
}

/* True for names that the C library, the compiler or generated code may use. */
static bool is_foreign(const char *name, const char *event)
{
	/* In the event `read`, `log_read` may be the name of a generated function. */
	size_t len = strlen(name);
	size_t event_len = strlen(event);

	return has_prefix(name, "__") || (name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z') ||
	       has_prefix(name, "PRI") || has_prefix(name, "SCN") || has_prefix(name, "waymark_") ||
	       (len > event_len && name[len - event_len - 1] == '_' &&
		       strcmp(name + len - event_len, event) == 0 && !has_prefix(name, "arg_"));
}

/* Changes `__cpu` to `cpu`, and `waymark_x` to `arg_waymark_x`. */
static const char *without_foreign_prefix(struct arena *a, const char *name, const char *event)
{
	const char *bare = name + strspn(name, "_");

	if (bare == name || !is_letter((unsigned char)bare[0]) || is_foreign(bare, event)) {
		return arena_printf(a, "arg_%s", bare);
	}
	return bare;
}

static bool is_taken(const struct event *e, size_t self, const char *name)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		bool is_c_name = i < self && strcmp(e->args[i].c_name, name) == 0;

		if (i != self && (is_c_name || strcmp(e->args[i].name, name) == 0)) {
			return true;
		}
	}
	return false;
}

static const char *c_name(struct arena *a, const struct event *e, size_t self)
{
	const char *declared = e->args[self].name;
	const char *name = is_capital(declared) ? small_letters(a, declared) : declared;

	if (e->args[self].is_cpu) {
		return "__cpu"; /* no other argument has this name: see is_foreign() */
	}
	if (is_foreign(name, e->name)) {
		name = without_foreign_prefix(a, name, e->name);
	}
	if (name == declared && name_is_free(name)) {
		return name;
	}
	while (is_taken(e, self, name) || !name_is_free(name)) {
		name = arena_printf(a, "%s_", name);
	}
	return name;
}

void name_assign_c(struct arena *a, struct event *e)
{
	for (size_t i = 0; i < e->arg_count; i++) {
		e->args[i].c_name = c_name(a, e, i);
	}
	if (e->passed) {
		name_assign_c(a, e->passed);
		/* The text made from an argument is a second variable, so both need a name. */
		for (size_t i = 0; i < e->arg_count; i++) {
			struct arg *arg = &e->args[i];

			if (arg->source == ARG_FROM_BYTES) {
				arg->c_name = arena_printf(a, "%s_text", arg->c_name);
			}
			while (arg->source == ARG_FROM_BYTES && is_taken(e, i, arg->c_name)) {
				arg->c_name = arena_printf(a, "%s_", arg->c_name);
			}
		}
	}
}

const char *name_upper(struct arena *a, const char *name)
{
	char *upper = arena_strdup(a, name);

	for (char *c = upper; *c; c++) {
		if (*c >= 'a' && *c <= 'z') {
			*c = (char)(*c - 'a' + 'A');
		}
	}
	return upper;
}
