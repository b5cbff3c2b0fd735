/* SPDX-License-Identifier: MIT */
/*
 * `waymark latency`: measures the time from one event to another, in one pass over the traces.
 * Without --by it pairs by the declared key of both events; without a key, events of one thread; if
 * that makes no pairs, a second pass tries all fields that both events have.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/latency.h"
#include "cmd/arguments.h"
#include "cmd/report/pair_options.h"
#include "cmd/report/report.h"
#include "cmd/session.h"
#include "cmd/waymark.h"

enum { KEY_FROM = REPORT_KEY_OWN, KEY_TO, KEY_BY, KEY_PER, KEY_ACROSS, KEY_MAX_OPEN };

static const struct argument rows[] = {
	{ KEY_FROM, "from", "EVENT", "the event that begins: a name, glob or /REGEX/" },
	{ KEY_TO, "to", "EVENT", "the event that ends" },
	{ KEY_BY, "by", "FIELDS",
		"fields whose values pair events, with commas; ONE=OTHER, @pid, @tid too" },
	{ KEY_PER, "per", "FIELD", "a row for each value of this field of the first event" },
	{ KEY_ACROSS, "across", NULL, "pair events of different processes too" },
	{ KEY_MAX_OPEN, "max-open", "N", "fail with more than N open pairs (default: 10000000)" },
	{ REPORT_KEY_SORT, "sort", "BY", "total; count; average; max: sort key (default: total)" },
	REPORT_ROWS_SHOWN,
	SELECTION_ROWS,
	REPORT_ROW_WHERE("pairs"),
	REPORT_ROWS_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = "waymark latency",
	.usage = "--from EVENT --to EVENT [--by FIELDS] [OPTION...] TRACE...",
	.about =
		"Shows how long it took from one event to another: a row for each pair of names, the\n"
		"largest total first. Both events of a pair are of one process, with the same values\n"
		"in the fields of --by. Without --by that is the declared key of both events; without a\n"
		"key they are on one thread; if that makes no pairs, the only field that both have is\n"
		"used. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

struct options {
	struct report_options report;
	struct pair_options pairs;
};

static int take_max_open(struct options *o, const char *text)
{
	uint64_t max;

	if (!arguments_number(text, SIZE_MAX, &max) || max == 0) {
		return arguments_bad(&command, "'%s' is not a number of open pairs", text);
	}
	o->pairs.latency.max_open = (size_t)max;
	return 0;
}

static int take(struct session *s, struct options *o, int key)
{
	switch (key) {
	case KEY_FROM:
		return pair_options_event(&o->pairs, &command, LATENCY_FROM);
	case KEY_TO:
		return pair_options_event(&o->pairs, &command, LATENCY_TO);
	case KEY_BY:
		return pair_options_by(&o->pairs, &command, optarg);
	case KEY_PER:
		o->pairs.latency.per = optarg;
		return 0;
	case KEY_ACROSS:
		o->pairs.latency.is_across = true;
		return 0;
	case KEY_MAX_OPEN:
		return take_max_open(o, optarg);
	default:
		return report_take(&o->report, s, &command, key);
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(s, o, key);

		if (failed) {
			return failed;
		}
	}
	if (!o->pairs.latency.events[LATENCY_FROM] || !o->pairs.latency.events[LATENCY_TO]) {
		return arguments_bad(&command, "%s is missing",
			o->pairs.latency.events[LATENCY_FROM] ? "--to" : "--from");
	}
	if (o->report.order == REPORT_SELF) {
		return arguments_bad(&command, "--sort=self is of waymark scopes only");
	}
	if (o->pairs.latency.is_across && o->pairs.latency.by_count == 0) {
		return arguments_bad(
			&command, "--across needs --by: no thread is in two processes");
	}
	pair_options_end(&o->pairs);
	o->pairs.latency.where = session_take_where(s);
	s->filter.is_of_pairs = true;
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* ---- Without --by ---- */

/* A field that both events have. */
struct shared_field {
	const char *name;
	uint64_t pairs; /* number of its pairs, after a try */
};

struct shared_fields {
	struct session *session;
	struct shared_field items[LATENCY_FIELDS_MAX];
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

static bool have_all_failed(const struct latency *latencies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!*latencies[i].error) {
			return false;
		}
	}
	return true;
}

static void add_records(struct session *s, struct latency *latencies, size_t count)
{
	struct record records[SESSION_FEW];
	size_t n;

	while (!have_all_failed(latencies, count) && (n = selection_next_few(s, records))) {
		for (size_t i = 0; i < count; i++) {
			add_few(&latencies[i], s, records, n);
		}
	}
	for (size_t i = 0; i < count; i++) {
		latency_end(&latencies[i]);
	}
}

static bool are_late(const struct latency *latencies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!*latencies[i].error && latencies[i].gaps.is_late) {
			return true;
		}
	}
	return false;
}

/* Begins a latency anew, by the session's reader, with all gaps known. */
static void restart(struct latency *l, struct session *s)
{
	const struct latency_options *options = l->options;
	struct gaps gaps = gaps_take(&l->gaps);

	latency_fini(l);
	latency_init(l, options, s->reader);
	l->gaps = gaps;
}

/*
 * Adds all selected records of the session to `count` latencies. Reads the traces twice if a gap
 * was known only after pairs that it may concern.
 */
static void add_all_records(struct session *s, struct latency *latencies, size_t count)
{
	add_records(s, latencies, count);
	if (!are_late(latencies, count)) {
		return;
	}
	struct reader *before = session_read_again(s);

	if (!before) {
		session_say(s,
			"it cannot be read twice: pairs that ended while events were lost count if the "
			"loss was recorded later");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		restart(&latencies[i], s);
	}
	reader_close(before);
	add_records(s, latencies, count);
}

/* Returns the number of pairs, also of those without a latency. */
static uint64_t pairs_of(const struct latency *l)
{
	uint64_t pairs = 0;

	vec_foreach (const struct report_row *, row, &l->report.rows) {
		pairs += row->unpaired.events_lost + (row->lengths ? row->lengths->count : 0);
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

/* ---- Shared fields ---- */

static struct shared_fields find_shared_fields(struct session *s, struct latency *l)
{
	struct shared_fields c = { .session = s };
	const char *names[LATENCY_FIELDS_MAX];

	c.count = latency_shared_fields(l, names, LATENCY_FIELDS_MAX);
	for (size_t i = 0; i < c.count; i++) {
		c.items[i].name = names[i];
	}
	return c;
}

/* Writes `'request', 'queue'`, with the numbers of pairs if known. */
static void list(const struct shared_fields *c, struct out *out)
{
	for (size_t i = 0; i < c->count; i++) {
		out_printf(out, "%s'%s'", i ? ", " : "", c->items[i].name);
		if (c->were_tried) {
			out_printf(out, " (%" PRIu64 " pair%s)", c->items[i].pairs,
				c->items[i].pairs == 1 ? "" : "s");
		}
	}
}

/* Writes the fields of each event. */
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

static bool pairs_none(const struct shared_fields *c)
{
	uint64_t pairs = 0;

	for (size_t i = 0; i < c->count; i++) {
		pairs += c->items[i].pairs;
	}
	return c->were_tried && pairs == 0;
}

/* Reports why there are no pairs, and what to do. */
static void say_no_pairs(const struct shared_fields *c, struct latency *l)
{
	const char *why =
		l->is_untold ? "the trace has no thread ids" : "no two of them are on one thread";
	struct out text;

	out_init(&text, OUT_TO_MEMORY);
	if (c->count == 0) {
		list_both(l, &text);
	} else {
		list(c, &text);
	}
	if (text.len == 0) { /* no fields are declared */
		session_say(c->session, "%s", *l->error ? l->error : why);
	} else if (c->count == 0) {
		session_say(c->session,
			"%s, and they have no common field of one type: %.*s; "
			"give the fields to compare, as --by=ONE=OTHER",
			why, (int)text.len, text.data);
	} else if (pairs_none(c)) {
		session_say(c->session,
			"%s, and no field that both have makes pairs: %.*s; give the fields to compare, "
			"as --by=ONE=OTHER",
			why, (int)text.len, text.data);
	} else {
		session_say(c->session, "%s; both have %.*s: choose one, as --by=%s", why,
			(int)text.len, text.data, c->items[0].name);
	}
	out_fini(&text);
}

/* Warns if pairs by thread are most likely wrong: events began again before their end. */
static void say_doubt(const struct shared_fields *c, const struct unpaired *u)
{
	struct out text;

	if (c->count == 0 || u->begun_twice == 0) {
		return;
	}
	out_init(&text, OUT_TO_MEMORY);
	list(c, &text);
	session_say(c->session,
		"%" PRIu64 " began once more before their end: without --by, an end belongs to "
		"the last begin on its thread; both events have %.*s: try --by=%s",
		u->begun_twice, (int)text.len, text.data, c->items[0].name);
	out_fini(&text);
}

/* ---- Trying them ---- */

/*
 * Reads the traces once more, for all fields in one pass. True if it wrote the report by the only
 * field that makes pairs.
 */
static bool try_shared_fields(
	struct shared_fields *c, const struct latency *l, const struct report_options *report)
{
	struct latency_options options[LATENCY_FIELDS_MAX];
	struct latency tried[LATENCY_FIELDS_MAX];
	struct session *s = c->session;

	for (size_t i = 0; i < c->count; i++) {
		options[i] = *l->options;
		options[i].by[LATENCY_FROM][0] = options[i].by[LATENCY_TO][0] = c->items[i].name;
		latency_init(&tried[i], &options[i], s->reader);
	}
	add_all_records(s, tried, c->count);
	for (size_t i = 0; i < c->count; i++) {
		c->items[i].pairs = *tried[i].error ? 0 : pairs_of(&tried[i]);
	}
	c->were_tried = true;
	bool is_taken = c->count == 1 && c->items[0].pairs > 0;

	if (is_taken) {
		session_say(s, "%s: paired by '%s', the only field that both have (--by=%s)",
			l->is_untold ? "the trace has no thread ids"
				     : "no two of them are on one thread",
			c->items[0].name, c->items[0].name);
		report_put(s, &tried[0].report, report);
	}
	for (size_t i = 0; i < c->count; i++) {
		latency_fini(&tried[i]);
	}
	return is_taken;
}

/* True if both beginnings and ends are unpaired: another field may pair them. */
static bool is_hopeful(const struct latency *l, const struct unpaired *u)
{
	bool may_be_both =
		latency_class_of_side(l, LATENCY_FROM) &&
		latency_class_of_side(l, LATENCY_FROM) == latency_class_of_side(l, LATENCY_TO);

	return l->is_untold ||
	       (u->unfinished + u->begun_twice > 0 && (u->unbegun > 0 || may_be_both));
}

/*
 * Writes the report of `l`, which has all records, paired by thread. If that makes no pairs, writes
 * it by the only field of both events that does. Names that field, or the possible fields, on
 * standard error. Returns false if there is nothing to report.
 */
static bool put_default(struct session *s, struct latency *l, const struct report_options *report)
{
	struct shared_fields c = find_shared_fields(s, l);
	const struct unpaired unpaired = unpaired_of(l);
	struct reader *before = NULL;
	bool is_taken = false;

	if (pairs_of(l) > 0) {
		say_doubt(&c, &unpaired);
	} else if (is_hopeful(l, &unpaired)) {
		before = c.count > 0 ? session_read_again(s) : NULL;
		is_taken = before && try_shared_fields(&c, l, report);
		if (!is_taken) {
			say_no_pairs(&c, l);
		}
	}
	if (!is_taken && !l->is_untold) {
		report_put(s, &l->report, report);
	}
	reader_close(before);
	return is_taken || !l->is_untold;
}

/* ---- The run ---- */

static bool has_events(struct session *s, const struct options *o)
{
	return report_has_event(s, &o->pairs.events[LATENCY_FROM]) &&
	       report_has_event(s, &o->pairs.events[LATENCY_TO]);
}

static void add_all(struct session *s, struct options *o)
{
	struct latency latency;

	pair_options_use_keys(&o->pairs, s);
	latency_init(&latency, &o->pairs.latency, s->reader);
	latency_check(&latency);
	add_all_records(s, &latency, 1);
	bool is_untold = o->pairs.is_default && latency.is_untold;

	/* Reading stopped early: the other records may declare events, too. */
	for (struct record records[SESSION_FEW]; is_untold && selection_next_few(s, records);) {
	}
	if (*latency.error && !is_untold) {
		session_say(s, "%s", latency.error);
		s->problems++;
	} else if (!has_events(s, o)) {
		/* Was reported. */
	} else if (!o->pairs.is_default) {
		report_put(s, &latency.report, &o->report);
	} else if (!put_default(s, &latency, &o->report)) {
		s->problems++;
	}
	latency_fini(&latency);
}

int waymark_latency(int argc, char **argv)
{
	struct session s;
	struct options options = { 0 };

	session_init(&s, command.name);
	pair_options_init(&options.pairs);
	report_options_init(&options.report);
	int failed = parse(&s, &options, argc, argv);
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;

	if (!failed && session_open_several(&s, argv + optind, options.report.output)) {
		add_all(&s, &options);
	}
	int ended = session_end(&s);

	pair_options_fini(&options.pairs);
	return failed ? status : ended;
}
