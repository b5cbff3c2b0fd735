/* SPDX-License-Identifier: MIT */
/*
 * `waymark track`: follows objects through their events. One pass over the traces finds the lives
 * and their paths; one more if it noticed lost events too late; one more for the events of the
 * lives that are listed.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/report/track.h"
#include "cmd/selection.h"
#include "cmd/waymark.h"
#include "view/message/message.h"

/* Each open life needs about 300 bytes. */
#define MAX_OPEN_DEFAULT 10000000

#define STEPS_DEFAULT 3
#define IDLE_MAX 1e9 /* seconds */

enum {
	KEY_BY = REPORT_KEY_OWN,
	KEY_FROM,
	KEY_TO,
	KEY_EVENT,
	KEY_IDLE,
	KEY_PER,
	KEY_ACROSS,
	KEY_MAX_OPEN,
	KEY_SLOWEST,
	KEY_UNFINISHED,
	KEY_STEPS
};

static const struct argument rows[] = {
	{ KEY_BY, "by", "FIELDS",
		"fields whose values are an object, with commas; ONE=OTHER, @pid, @tid too" },
	{ KEY_FROM, "from", "EVENT", "the event that begins a life: a name, glob or /REGEX/" },
	{ KEY_TO, "to", "EVENT", "the event that ends a life" },
	{ KEY_IDLE, "idle", "SECONDS", "end a life that has no event for longer" },
	{ KEY_EVENT, "event", "PATTERN", "only events that match are steps; -PATTERN: not these" },
	REPORT_ROW_WHERE("lives"),
	{ KEY_PER, "per", "FIELD", "a row for each value of this field, the first in a life" },
	{ KEY_ACROSS, "across", NULL, "a life may be of several processes and traces" },
	{ KEY_SLOWEST, "slowest", "N", "list the N lives that took longest, with their events" },
	{ KEY_UNFINISHED, "unfinished", "N", "list the N oldest lives that did not end" },
	{ KEY_STEPS, "steps", "N", "show the steps of the first N paths (default: 3)" },
	{ KEY_MAX_OPEN, "max-open", "N", "fail with more than N open lives (default: 10000000)" },
	{ REPORT_KEY_SORT, "sort", "BY", "count; total; average; max: sort key (default: count)" },
	REPORT_ROWS_SHOWN,
	SELECTION_ROWS,
	REPORT_ROWS_OUTPUT,
	{ 0 },
};

static const struct command command = {
	.name = "waymark track",
	.usage = "[--by FIELDS] [OPTION...] TRACE...",
	.about =
		"Follows objects, such as requests, through all events that have the same value in the\n"
		"fields of --by: a row for each path of events that objects took, with how many took it\n"
		"and how long, then the times between its steps. Without --by that is the declared key\n"
		"of each event. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

/* ---- Options ---- */

/* Reads ONE, or ONE=OTHER. */
static int take_field(struct track *t, const char *text, size_t length)
{
	struct life_rules *r = &t->options.rules;

	if (r->by_count == LIVES_FIELDS_MAX) {
		return arguments_bad(&command, "--by takes at most %d fields", LIVES_FIELDS_MAX);
	}
	struct lives_field *f = &r->by[r->by_count++];

	for (const char *end = text + length; text <= end;) {
		const char *equals = memchr(text, '=', (size_t)(end - text));
		size_t size = (size_t)((equals ? equals : end) - text);

		if (size == 0 || f->count == LIVES_FIELDS_MAX) {
			return arguments_bad(&command, "--by: '%.*s' is not FIELD or FIELD=FIELD",
				(int)length, end - length);
		}
		f->names[f->count++] = arena_strndup(&t->arena, text, size);
		text += size + 1;
	}
	return 0;
}

static int take_fields(struct track *t, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		int failed = take_field(t, text, length);

		if (failed || !text[length]) {
			return failed;
		}
		text += length + 1;
	}
}

static int take_event(
	struct name_pattern *pattern, const struct name_pattern **rule, const char *text)
{
	*rule = pattern;
	return selection_take_name(pattern, &command, text);
}

static int take_number(size_t *number, const char *what, size_t max)
{
	uint64_t value;

	if (!arguments_number(optarg, max, &value)) {
		return arguments_bad(
			&command, "'%s' is not a number of %s, at most %zu", optarg, what, max);
	}
	*number = (size_t)value;
	return 0;
}

static int take_idle(struct track *t)
{
	double seconds;

	if (!arguments_seconds(optarg, IDLE_MAX, &seconds)) {
		return arguments_bad(&command, "'%s' is not a number of seconds above 0", optarg);
	}
	t->options.idle_ns = (uint64_t)(seconds * 1e9);
	t->options.idle_ns += t->options.idle_ns == 0;
	return 0;
}

static int take(struct track *t, int key)
{
	struct life_rules *rules = &t->options.rules;

	switch (key) {
	case KEY_BY:
		return take_fields(t, optarg);
	case KEY_FROM:
		return take_event(&t->from, &rules->from, optarg);
	case KEY_TO:
		return take_event(&t->to, &rules->to, optarg);
	case KEY_EVENT:
		return selection_add_name(&t->session.filter, &command, optarg);
	case KEY_IDLE:
		return take_idle(t);
	case KEY_PER:
		rules->per = optarg;
		return 0;
	case KEY_ACROSS:
		t->options.is_across = true;
		return 0;
	case KEY_MAX_OPEN:
		return take_number(&t->options.max_open, "open lives", UINT32_MAX - 1);
	case KEY_SLOWEST:
		return take_number(&t->slowest.limit, "lives", TRACK_CHOSEN_MAX);
	case KEY_UNFINISHED:
		return take_number(&t->unfinished.limit, "lives", TRACK_CHOSEN_MAX);
	case KEY_STEPS:
		return take_number(&t->steps, "paths", LIFE_GROUPS_MAX);
	default:
		return report_take(&t->report, &t->session, &command, key);
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct track *t, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(t, key);

		if (failed) {
			return failed;
		}
	}
	if (t->report.order == REPORT_SELF) {
		return arguments_bad(&command, "--sort=self is of waymark scopes only");
	}
	if (t->report.style == REPORT_CSV && t->slowest.limit + t->unfinished.limit > 0) {
		return arguments_bad(
			&command, "--csv has no place for --slowest and --unfinished; use --json");
	}
	if (t->report.style == REPORT_CSV && t->report.form.has_histogram) {
		return arguments_bad(&command, "--csv has no place for --histogram; use --json");
	}
	t->options.where = session_take_where(&t->session);
	t->session.filter.is_of_pairs = true;
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* ---- Wrong names ---- */

static bool has_field(const struct track *t, const struct lives_field *field)
{
	vec_foreach (struct event_class *const *, c, &t->session.reader->classes.all) {
		for (size_t i = 0; i < field->count; i++) {
			if (field_find(*c, field->names[i]) != FIELD_NONE) {
				return true;
			}
		}
	}
	return false;
}

/* Returns an event of which no fields are known; NULL if all are declared. */
static const struct event_class *undeclared(const struct track *t)
{
	vec_foreach (struct event_class *const *, c, &t->session.reader->classes.all) {
		if (!(*c)->event) {
			return *c;
		}
	}
	return NULL;
}

static void say_undeclared(struct track *t, const struct event_class *c)
{
	session_say(&t->session,
		"the fields of event '%s' are not known; give its declaration with -e", c->name);
}

static bool say_no_field(struct track *t, const char *name)
{
	const struct event_class *c = undeclared(t);
	const char *near = names_nearest_field(t->session.reader, name);

	if (c && !near) {
		say_undeclared(t, c);
	} else {
		session_say(&t->session, "no event has a field '%s'%s%s%s", name,
			near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	return false;
}

/* True if there is such an event, or none is named; else it is reported. */
static bool check_event(struct track *t, const struct name_pattern *pattern)
{
	return !pattern || report_has_event(&t->session, pattern);
}

static bool check_events(struct track *t)
{
	vec_foreach (const struct name_pattern *, pattern, &t->session.filter.patterns) {
		if (!check_event(t, pattern)) {
			return false;
		}
	}
	return check_event(t, t->options.rules.from) && check_event(t, t->options.rules.to);
}

/* ---- Without --by, and without a key ---- */

/* Returns the number of events with a field of that name. */
static size_t events_with(const struct track *t, const char *name)
{
	size_t count = 0;

	vec_foreach (struct event_class *const *, c, &t->session.reader->classes.all) {
		count += field_find(*c, name) >= 0;
	}
	return count;
}

/* Returns the field that most events have; NULL: no two events have the same. */
static const char *common_field(const struct track *t)
{
	const char *best = NULL;
	size_t most = 1;

	vec_foreach (struct event_class *const *, c, &t->session.reader->classes.all) {
		for (size_t i = 0; (*c)->event && i < (*c)->event->arg_count; i++) {
			const char *name = (*c)->event->args[i].name;
			size_t count = events_with(t, name);

			if (count > most) {
				best = name;
				most = count;
			}
		}
	}
	return best;
}

static bool say_no_key(struct track *t)
{
	const struct event_class *c = undeclared(t);
	const char *field = common_field(t);
	const char *which = t->session.filter.patterns.count > 0 ? "no selected event" : "no event";

	if (c && !field) {
		say_undeclared(t, c);
	} else if (field) {
		session_say(&t->session,
			"%s declares its key by @key: name the fields that identify an object, as "
			"--by=%s, which %zu events have",
			which, field, events_with(t, field));
	} else {
		session_say(&t->session,
			"%s declares its key by @key, and no two events have a field of the same "
			"name: name the fields that identify an object, as --by=ONE=OTHER",
			which);
	}
	return false;
}

/* Reports which of several names is wrong, after all events are known. */
static bool check_names(struct track *t)
{
	const struct life_rules *r = &t->options.rules;
	const struct lives_field per = { .names = { r->per }, .count = r->per != NULL };
	bool has_steps = false;

	for (size_t i = 0; i < r->by_count; i++) {
		if (!has_field(t, &r->by[i])) {
			return say_no_field(t, r->by[i].names[0]);
		}
	}
	if (r->per && !has_field(t, &per)) {
		return say_no_field(t, r->per);
	}
	if (!check_events(t)) { /* before the key, which other events may declare */
		return false;
	}
	if (t->lives.kinds.kinds.count == 0) {
		return say_no_key(t);
	}
	vec_foreach (const struct life_class *, c, &t->lives.kinds.classes) {
		has_steps |= c->is_known && c->kind != LIFE_KINDS_NONE;
	}
	if (r->by_count > 1 && !has_steps) {
		session_say(&t->session, "no event has all fields of --by");
		return false;
	}
	return true;
}

/* ---- The run ---- */

static void on_end(void *track, const struct life *life)
{
	struct track *t = track;

	life_groups_add(&t->groups, life);
	if (life->outcome == LIFE_ENDED) {
		chosen_offer(&t->slowest, &t->lives, life);
	} else if (life->outcome != LIFE_BEGUN_TWICE) {
		chosen_offer(&t->unfinished, &t->lives, life);
	}
}

static void add_records(struct track *t)
{
	struct record records[SESSION_FEW];
	size_t count;

	lives_check(&t->lives);
	while (!*t->lives.error && (count = selection_next_few(&t->session, records))) {
		for (size_t i = 0; i < count; i++) {
			lives_add(&t->lives, &records[i]);
		}
	}
	lives_end(&t->lives);
}

/* Reads the traces once more, with all gaps known, if that is possible. */
static void add_again(struct track *t)
{
	struct reader *before = session_read_again(&t->session);

	if (!before) {
		return;
	}
	struct gaps gaps = gaps_take(&t->lives.gaps);

	lives_fini(&t->lives);
	life_groups_fini(&t->groups);
	chosen_clear(&t->slowest);
	chosen_clear(&t->unfinished);
	reader_close(before);
	lives_init(&t->lives, &t->options, t->session.reader);
	t->lives.gaps = gaps;
	add_records(t);
}

/* Says what else may interest: lives that are most likely two, lists without events. */
static void put_hints(struct track *t)
{
	if (t->lives.gaps.is_late) {
		session_say(&t->session,
			"it cannot be read twice: lives that ended while events were lost are not marked "
			"if the loss was recorded later");
	}
	if (t->groups.restarted) {
		session_say(&t->session,
			"%" PRIu64
			" took their whole path several times: if a value is used again, end a "
			"life by --to, begin one by --from=%s, or use --idle",
			t->groups.restarted, t->groups.restarted_by->name);
	}
	if (!track_read_chosen(t)) {
		session_say(&t->session,
			"it cannot be read twice: the lives are listed without their events");
	}
}

static void put(struct track *t)
{
	static void (*const puts[])(struct track * t) = {
		[REPORT_TEXT] = track_put_text,
		[REPORT_JSON] = track_put_json,
		[REPORT_CSV] = track_put_csv,
	};

	life_groups_sort(&t->groups, t->report.order);
	session_explain_states(&t->session);
	put_hints(t);
	session_begin_output(&t->session);
	puts[t->report.style](t);
}

static void run(struct track *t)
{
	struct session *s = &t->session;

	lives_init(&t->lives, &t->options, s->reader);
	add_records(t);
	if (!*t->lives.error && t->lives.gaps.is_late) {
		add_again(t);
	}
	if (*t->lives.error) {
		session_say(s, "%s", t->lives.error);
		s->problems++;
	} else if (check_names(t)) {
		put(t);
	} else {
		s->problems++;
	}
	chosen_fini(&t->slowest);
	chosen_fini(&t->unfinished);
	life_groups_fini(&t->groups);
	lives_fini(&t->lives);
	reader_close(t->first_reader);
}

int waymark_track(int argc, char **argv)
{
	struct track t = {
		.options = { .max_open = MAX_OPEN_DEFAULT, .text = message_value_text },
		.unfinished.is_oldest = true,
		.steps = STEPS_DEFAULT,
	};

	session_init(&t.session, command.name);
	arena_init(&t.arena);
	report_options_init(&t.report);
	t.report.order = REPORT_COUNT;
	t.options.rules.filter = &t.session.filter;
	t.options.ended = on_end;
	t.options.data = &t;
	int failed = parse(&t, argc, argv);
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;

	if (!failed && session_open_several(&t.session, argv + optind, t.report.output)) {
		run(&t);
	}
	int ended = session_end(&t.session);

	name_pattern_fini(&t.from);
	name_pattern_fini(&t.to);
	arena_fini(&t.arena);
	return failed ? status : ended;
}
