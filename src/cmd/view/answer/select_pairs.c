/* SPDX-License-Identifier: MIT */
/*
 * Which events make pairs, without being asked: those that begin and end a declared life, and those
 * whose names differ only in such words as `begin` and `end`. They are paired as `waymark latency`
 * pairs them: by the declared key of both, else on one thread.
 */
#include "cmd/view/answer/select.h"

#include <string.h>

#include "analyse/life/life_kinds.h"
#include "base/compiler.h"
#include "view/message/json.h"
#include "view/message/message.h"

/* The last words of names. A begin may have several ends. */
static const struct {
	const char *begin;
	const char *end;
} words[] = {
	{ "_begin", "_end" },
	{ "_start", "_end" },
	{ "_start", "_done" },
	{ "_start", "_stop" },
	{ "_start", "_finish" },
	{ "_enter", "_exit" },
	{ "_enter", "_leave" },
	{ "_entry", "_exit" },
	{ "_submit", "_complete" },
	{ "_submit", "_done" },
	{ "_issue", "_complete" },
	{ "_request", "_reply" },
	{ "_request", "_response" },
	{ "_lock", "_unlock" },
	{ "_acquire", "_release" },
	{ "_open", "_close" },
	{ "_alloc", "_free" },
};

static bool is_event(void *pair, enum latency_side side, const char *name)
{
	const struct select_pair *p = pair;

	return strcmp(p->options.events[side], name) == 0;
}

/* ---- Finding pairs ---- */

/* Returns the key that all events of a name declare; NULL: none. */
static const char *key_of(const struct class_table *known, const char *name)
{
	const char *key = NULL;

	vec_foreach (struct event_class *const *, c, &known->all) {
		if (strcmp((*c)->name, name) == 0) {
			int arg = life_kinds_key((*c)->event);
			const char *own = arg < 0 ? NULL : (*c)->event->args[arg].name;

			if (!own || (key && strcmp(key, own) != 0)) {
				return NULL;
			}
			key = own;
		}
	}
	return key;
}

static bool has_pair(const struct select_pairs *p, const char *from, const char *to)
{
	for (size_t i = 0; i < p->count; i++) {
		if (strcmp(p->all[i].options.events[LATENCY_FROM], from) == 0 &&
			strcmp(p->all[i].options.events[LATENCY_TO], to) == 0) {
			return true;
		}
	}
	return false;
}

static void add_pair(
	struct select_pairs *p, const struct class_table *known, const char *from, const char *to)
{
	if (has_pair(p, from, to)) {
		return;
	}
	if (p->count == SELECT_PAIRS_MAX) {
		p->left_out++;
		return;
	}
	struct select_pair *pair = &p->all[p->count++];
	const char *keys[] = { key_of(known, from), key_of(known, to) };

	pair->is_keyed = keys[LATENCY_FROM] && keys[LATENCY_TO];
	pair->options = (struct latency_options){
		.events = { arena_strdup(&p->arena, from), arena_strdup(&p->arena, to) },
		.is_exact = { true, true },
		.is_event = is_event,
		.data = pair,
		.by_count = 1,
		.text = message_value_text,
		.max_open = SELECT_OPEN_MAX,
	};
	for (size_t side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		pair->options.by[side][0] =
			pair->is_keyed ? arena_strdup(&p->arena, keys[side]) : "@tid";
	}
}

/* Adds the ends of the life that an event begins. */
static void add_life(
	struct select_pairs *p, const struct class_table *known, const struct event_class *begin)
{
	vec_foreach (struct event_class *const *, c, &known->all) {
		const struct event *e = (*c)->event;

		if (e && e->life && e->life_part == LIFE_END &&
			strcmp(e->life, begin->event->life) == 0) {
			add_pair(p, known, begin->name, (*c)->name);
		}
	}
}

/* Adds the events whose names end what an event's name begins. */
static void add_named(
	struct select_pairs *p, const struct class_table *known, const char *begin, size_t row)
{
	size_t word = strlen(words[row].begin);
	size_t length = strlen(begin);

	if (length <= word || strcmp(begin + length - word, words[row].begin) != 0) {
		return;
	}
	vec_foreach (struct event_class *const *, c, &known->all) {
		if (strncmp((*c)->name, begin, length - word) == 0 &&
			strcmp((*c)->name + length - word, words[row].end) == 0) {
			add_pair(p, known, begin, (*c)->name);
		}
	}
}

void select_pairs_init(struct select_pairs *p, const struct class_table *known,
	struct reader *reader, bool is_across)
{
	*p = (struct select_pairs){ 0 };
	arena_init(&p->arena);
	vec_foreach (struct event_class *const *, c, &known->all) {
		const struct event *e = (*c)->event;

		if (e && e->life && e->life_part == LIFE_BEGIN) {
			add_life(p, known, *c);
		}
	}
	vec_foreach (struct event_class *const *, c, &known->all) {
		for (size_t row = 0; row < ARRAY_SIZE(words); row++) {
			add_named(p, known, (*c)->name, row);
		}
	}
	for (size_t i = 0; i < p->count; i++) {
		p->all[i].options.is_across = is_across && p->all[i].is_keyed;
		latency_init(&p->all[i].latency, &p->all[i].options, reader);
		latency_check(&p->all[i].latency);
	}
}

void select_pairs_fini(struct select_pairs *p)
{
	for (size_t i = 0; i < p->count; i++) {
		latency_fini(&p->all[i].latency);
	}
	vec_fini(&p->wanted);
	arena_fini(&p->arena);
}

/* ---- Records ---- */

/* Returns a bit for each pair that the events of a class begin or end. */
static uint32_t wanting(struct select_pairs *p, const struct event_class *class)
{
	while (p->wanted.count <= class->index) {
		vec_push(&p->wanted, UINT32_MAX);
	}
	uint32_t *bits = &p->wanted.items[class->index];

	if (*bits == UINT32_MAX) { /* not examined, or all pairs want it */
		*bits = 0;
		for (size_t i = 0; i < p->count; i++) {
			bool wants = is_event(&p->all[i], LATENCY_FROM, class->name) ||
				     is_event(&p->all[i], LATENCY_TO, class->name);

			*bits |= (uint32_t)wants << i;
		}
	}
	return *bits;
}

void select_pairs_add(struct select_pairs *p, struct reader *reader, const struct record *rec)
{
	bool is_gap = rec->kind == RECORD_GAP;
	uint32_t bits = is_gap ? UINT32_MAX : wanting(p, rec->class);
	const struct value *values =
		bits && !is_gap && rec->class->event ? reader_values(reader, rec) : NULL;

	for (size_t i = 0; bits && i < p->count; i++, bits >>= 1) {
		struct latency *l = &p->all[i].latency;

		if ((bits & 1) && !*l->error) {
			latency_add(l, rec, values);
		}
	}
}

/* ---- The answer ---- */

static void put_pair(struct select_pair *p, const struct report_form *form, struct out *out)
{
	static const char *const members[] = { ",\"from_by\":", ",\"to_by\":" };

	latency_end(&p->latency);
	report_end(&p->latency.report, REPORT_TOTAL);
	out_str(out, "{\"from\":");
	json_out_string(out, p->options.events[LATENCY_FROM]);
	out_str(out, ",\"to\":");
	json_out_string(out, p->options.events[LATENCY_TO]);
	for (size_t side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		out_str(out, members[side]);
		json_out_string(out, p->options.by[side][0]);
	}
	out_str(out, ",\"error\":");
	json_out_string(out, p->latency.error);
	out_str(out, ",\"report\":");
	report_put_json(out, &p->latency.report, form);
	out_char(out, '}');
}

void select_pairs_put(struct select_pairs *p, const struct report_form *form, struct out *out)
{
	out_char(out, '[');
	for (size_t i = 0; i < p->count; i++) {
		out_str(out, i ? "," : "");
		put_pair(&p->all[i], form, out);
	}
	out_char(out, ']');
}
