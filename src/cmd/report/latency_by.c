/* SPDX-License-Identifier: MIT */
/* See cmd/report/latency_by.h. */
#include "cmd/report/latency_by.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A field that both events have. */
struct candidate {
	const char *name;
	uint64_t pairs; /* once it was tried */
};

struct candidates {
	struct session *session;
	struct candidate items[LATENCY_FIELDS_MAX];
	size_t count;
	bool were_tried;
};

static void add_few(
	struct latency *l, struct session *s, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count && !*l->error; i++) {
		const struct record *rec = &records[i];
		bool is_wanted = latency_wants(l, rec);
		bool has_values = is_wanted && !*l->error && rec->class->event;

		if (is_wanted || rec->kind == RECORD_GAP) {
			latency_add(l, rec, has_values ? reader_values(s->reader, rec) : NULL);
		}
	}
}

static bool has_failed(const struct latency *latencies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!*latencies[i].error) {
			return false;
		}
	}
	return true;
}

void latency_add_all(struct session *s, struct latency *latencies, size_t count)
{
	struct record records[SESSION_FEW];
	size_t n;

	while (!has_failed(latencies, count) && (n = selection_next_few(s, records))) {
		for (size_t i = 0; i < count; i++) {
			add_few(&latencies[i], s, records, n);
		}
	}
	for (size_t i = 0; i < count; i++) {
		latency_end(&latencies[i]);
	}
}

static uint64_t pairs_of(const struct latency *l)
{
	uint64_t pairs = 0;

	vec_foreach (const struct report_row *, row, &l->report.rows) {
		pairs += row->lengths ? row->lengths->count : 0;
	}
	return pairs;
}

static struct unpaired unpaired_of(const struct latency *l)
{
	struct unpaired sum = { 0 };

	vec_foreach (const struct report_row *, row, &l->report.rows) {
		sum.unfinished += row->unpaired.unfinished + row->unpaired.end_lost;
		sum.unbegun += row->unpaired.unbegun + row->unpaired.begin_lost;
		sum.begun_twice += row->unpaired.begun_twice;
	}
	return sum;
}

/* ---- Which fields there are ---- */

static struct candidates find_candidates(struct session *s, struct latency *l)
{
	struct candidates c = { .session = s };
	const char *names[LATENCY_FIELDS_MAX];

	c.count = latency_shared_fields(l, names, LATENCY_FIELDS_MAX);
	for (size_t i = 0; i < c.count; i++) {
		c.items[i].name = names[i];
	}
	return c;
}

/* `'request', 'queue'`, with their pairs where these are known. */
static void list(const struct candidates *c, struct out *out)
{
	for (size_t i = 0; i < c->count; i++) {
		out_printf(out, "%s'%s'", i ? ", " : "", c->items[i].name);
		if (c->were_tried) {
			out_printf(out, " (%" PRIu64 " pair%s)", c->items[i].pairs,
				c->items[i].pairs == 1 ? "" : "s");
		}
	}
}

/* The fields of either event, of which none is the same. */
static void list_both(struct latency *l, struct out *out)
{
	char fields[200];

	for (enum latency_side side = LATENCY_FROM; side < LATENCY_SIDES; side++) {
		const struct event_class *c = latency_class_of_side(l, side);

		if (c && c->event) {
			field_list(c, fields, sizeof(fields));
			out_printf(out, "%s'%s' has %s", side == LATENCY_FROM ? "" : ", ", c->name,
				fields);
		}
	}
}

static bool pairs_none(const struct candidates *c)
{
	uint64_t pairs = 0;

	for (size_t i = 0; i < c->count; i++) {
		pairs += c->items[i].pairs;
	}
	return c->were_tried && pairs == 0;
}

/* Why there is nothing, and what may be done. */
static void say_nothing(const struct candidates *c, struct latency *l)
{
	const char *why = l->is_untold ? "the trace does not tell threads"
				       : "no two of them are on one thread";
	struct out text;

	out_init(&text, OUT_TO_MEMORY);
	if (c->count == 0) {
		list_both(l, &text);
	} else {
		list(c, &text);
	}
	if (text.len == 0) { /* they are not declared */
		session_say(c->session, "%s", *l->error ? l->error : why);
	} else if (c->count == 0) {
		session_say(c->session,
			"%s, and they have no field of one name and type: %.*s; "
			"--by=ONE=OTHER says which values are to be the same",
			why, (int)text.len, text.data);
	} else if (pairs_none(c)) {
		session_say(c->session,
			"%s, and by no field that both have: %.*s; --by=ONE=OTHER says which "
			"values are to be the same",
			why, (int)text.len, text.data);
	} else {
		session_say(c->session, "%s; both have %.*s: say by which, as --by=%s", why,
			(int)text.len, text.data, c->items[0].name);
	}
	out_fini(&text);
}

/* Pairs of a thread that are hardly meant: the same was begun again and again. */
static void say_doubt(const struct candidates *c, const struct unpaired *u)
{
	struct out text;

	if (c->count == 0 || u->begun_twice == 0) {
		return;
	}
	out_init(&text, OUT_TO_MEMORY);
	list(c, &text);
	session_say(c->session,
		"%" PRIu64 " began once more before their end: without --by, an end is that of the "
		"last one on its thread; both events have %.*s: "
		"--by=%s tells more",
		u->begun_twice, (int)text.len, text.data, c->items[0].name);
	out_fini(&text);
}

/* ---- Trying them ---- */

/* Reads the traces once more, for all fields at once. True: the report by the only one is written.
 */
static bool try_candidates(
	struct candidates *c, const struct latency *l, const struct report_options *report)
{
	struct latency_options options[LATENCY_FIELDS_MAX];
	struct latency tried[LATENCY_FIELDS_MAX];
	struct session *s = c->session;

	for (size_t i = 0; i < c->count; i++) {
		options[i] = *l->options;
		options[i].by[LATENCY_FROM][0] = options[i].by[LATENCY_TO][0] = c->items[i].name;
		latency_init(&tried[i], &options[i], s->reader);
	}
	latency_add_all(s, tried, c->count);
	for (size_t i = 0; i < c->count; i++) {
		c->items[i].pairs = *tried[i].error ? 0 : pairs_of(&tried[i]);
	}
	c->were_tried = true;
	bool is_taken = c->count == 1 && c->items[0].pairs > 0;

	if (is_taken) {
		session_say(s, "%s: told apart by '%s', the only field that both have (--by=%s)",
			l->is_untold ? "the trace does not tell threads"
				     : "no two of them are on one thread",
			c->items[0].name, c->items[0].name);
		report_put(s, &tried[0].report, report);
	}
	for (size_t i = 0; i < c->count; i++) {
		latency_fini(&tried[i]);
	}
	return is_taken;
}

/* Whether something began, and something ended: another field may pair them. */
static bool is_hopeful(const struct latency *l, const struct unpaired *u)
{
	bool may_be_both =
		latency_class_of_side(l, LATENCY_FROM) &&
		latency_class_of_side(l, LATENCY_FROM) == latency_class_of_side(l, LATENCY_TO);

	return l->is_untold ||
	       (u->unfinished + u->begun_twice > 0 && (u->unbegun > 0 || may_be_both));
}

bool latency_put_default(struct session *s, struct latency *l, const struct report_options *report)
{
	struct candidates c = find_candidates(s, l);
	const struct unpaired unpaired = unpaired_of(l);
	struct reader *before = NULL;
	bool is_taken = false;

	if (pairs_of(l) > 0) {
		say_doubt(&c, &unpaired);
	} else if (is_hopeful(l, &unpaired)) {
		before = c.count > 0 ? session_read_again(s) : NULL;
		is_taken = before && try_candidates(&c, l, report);
		if (!is_taken) {
			say_nothing(&c, l);
		}
	}
	if (!is_taken && !l->is_untold) {
		report_put(s, &l->report, report);
	}
	reader_close(before);
	return is_taken || !l->is_untold;
}
