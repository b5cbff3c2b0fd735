/* SPDX-License-Identifier: MIT */
/* Reads the options of pairs; without --by, finds the declared key of their events. */
#include "cmd/report/pair_options.h"

#include <getopt.h>
#include <string.h>

#include "analyse/life/life_kinds.h"
#include "base/glob.h"
#include "cmd/selection.h"
#include "view/message/message.h"

/* Each open pair needs 200 bytes. */
#define MAX_OPEN_DEFAULT 10000000

static bool is_event(void *options, enum latency_side side, const char *name)
{
	const struct pair_options *o = options;

	return name_pattern_meets(&o->events[side], name);
}

void pair_options_init(struct pair_options *o)
{
	*o = (struct pair_options){
		.latency = {
			.max_open = MAX_OPEN_DEFAULT,
			.is_event = is_event,
			.data = o,
			.text = message_value_text,
		},
	};
	arena_init(&o->arena);
}

void pair_options_fini(struct pair_options *o)
{
	for (int side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		name_pattern_fini(&o->events[side]);
	}
	arena_fini(&o->arena);
}

int pair_options_event(
	struct pair_options *o, const struct command *command, enum latency_side side)
{
	int failed = selection_take_name(&o->events[side], command, optarg);

	o->latency.events[side] = optarg;
	o->latency.is_exact[side] =
		!failed && !o->events[side].is_regex && !glob_is_pattern(optarg);
	return failed;
}

/* Reads ONE, or ONE=OTHER. */
static int take_field(
	struct pair_options *o, const struct command *command, const char *text, size_t length)
{
	struct latency_options *l = &o->latency;
	const char *equals = memchr(text, '=', length);
	size_t first = equals ? (size_t)(equals - text) : length;
	const char *second = equals ? equals + 1 : text;
	size_t rest = equals ? length - first - 1 : length;

	if (first == 0 || rest == 0) {
		return arguments_bad(
			command, "--by: '%.*s' is not FIELD or FIELD=FIELD", (int)length, text);
	}
	if (l->by_count == LATENCY_FIELDS_MAX) {
		return arguments_bad(command, "--by takes at most %d fields", LATENCY_FIELDS_MAX);
	}
	l->by[LATENCY_FROM][l->by_count] = arena_strndup(&o->arena, text, first);
	l->by[LATENCY_TO][l->by_count++] = arena_strndup(&o->arena, second, rest);
	return 0;
}

int pair_options_by(struct pair_options *o, const struct command *command, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		int failed = take_field(o, command, text, length);

		if (failed || !text[length]) {
			return failed;
		}
		text += length + 1;
	}
}

void pair_options_end(struct pair_options *o)
{
	o->is_default = o->latency.by_count == 0;
	if (o->is_default) {
		o->latency.by[LATENCY_FROM][0] = o->latency.by[LATENCY_TO][0] = "@tid";
		o->latency.by_count = 1;
	}
}

/* ---- Declared keys ---- */

static const char *key_of_event(const struct event *e)
{
	int key = life_kinds_key(e);

	return key < 0 ? NULL : e->args[key].name;
}

/* The key of all events of one side. */
struct side_key {
	const char *name; /* NULL: none yet */
	bool is_mixed; /* an event has another key, or none */
};

static void see_event(struct side_key *key, const struct event *e)
{
	const char *name = key_of_event(e);

	key->is_mixed |= !name || (key->name && strcmp(key->name, name) != 0);
	key->name = name;
}

/* Returns the argument that is declared as the key of the events of a side; NULL: none. */
static const char *key_of_side(
	struct session *s, const struct pair_options *o, enum latency_side side)
{
	struct side_key key = { 0 };

	vec_foreach (struct event_class *const *, c, &s->reader->classes.all) {
		if (name_pattern_meets(&o->events[side], (*c)->name)) {
			see_event(&key, (*c)->event);
		}
	}
	vec_foreach (struct event *const *, e, &s->declarations.model.events) {
		if (name_pattern_meets(&o->events[side], (*e)->name)) {
			see_event(&key, *e);
		}
	}
	return key.is_mixed ? NULL : key.name;
}

void pair_options_use_keys(struct pair_options *o, struct session *s)
{
	const char *from = key_of_side(s, o, LATENCY_FROM);
	const char *to = from ? key_of_side(s, o, LATENCY_TO) : NULL;

	if (!o->is_default || !to) {
		return;
	}
	bool is_same = strcmp(from, to) == 0;

	o->is_default = false;
	o->latency.by[LATENCY_FROM][0] = arena_strdup(&o->arena, from);
	o->latency.by[LATENCY_TO][0] = arena_strdup(&o->arena, to);
	session_say(s, "paired by '%s%s%s', the declared key; --by=@tid pairs by thread", from,
		is_same ? "" : "=", is_same ? "" : to);
}
