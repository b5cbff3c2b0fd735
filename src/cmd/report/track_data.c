/* SPDX-License-Identifier: MIT */
/* The report of `waymark track` for programs: as JSON, and as comma-separated values. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/track.h"
#include "view/message/json.h"
#include "view/path.h"

static void put_string(struct out *out, const char *text)
{
	if (text) {
		json_out_string(out, text);
	} else {
		out_str(out, "null");
	}
}

/* ---- JSON ---- */

static void put_numbers(struct out *out, const struct track *t, const struct report_row *row)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	const struct report r = { 0 };
	size_t count = report_numbers(&r, &t->report.form, row, numbers);

	for (size_t i = 0; i < count; i++) {
		out_printf(out, ",\"%s\":%" PRIu64, numbers[i].title, numbers[i].value);
	}
	if (t->report.form.has_histogram) {
		report_put_json_histogram(out, row);
	}
}

static void put_steps(struct out *out, const struct track *t, const struct life_group *group)
{
	const char *names[PATHS_STEPS_MAX];

	paths_steps(&t->lives.paths, group->path, names);
	out_str(out, ",\"steps\":[");
	for (uint32_t i = 0; i < group->step_count; i++) {
		const struct path_part *part = &group->parts[i];

		out_str(out, i ? ",\n  {\"event\":" : "\n  {\"event\":");
		put_string(out, names[i]);
		out_printf(out, ",\"fewest\":%" PRIu32 ",\"most\":%" PRIu32 ",\"loops\":[",
			part->min, part->max);
		const char *comma = "";

		for (unsigned int n = 0; n < 32; n++) {
			if (part->loops >> n & 1) {
				out_printf(out, "%s%u", comma, n + 1);
				comma = ",";
			}
		}
		out_char(out, ']');
		put_numbers(out, t, &(struct report_row){ .lengths = &group->times[i] });
		out_char(out, '}');
	}
	out_char(out, ']');
}

static void put_groups(struct out *out, const struct track *t, bool has_ended)
{
	const struct life_group *first = track_first(t, has_ended);

	for (size_t i = 0; i < track_shown(t, has_ended); i++) {
		char *path = track_group_path(t, &first[i]);

		out_str(out, i ? ",\n {\"path\":" : "\n {\"path\":");
		put_string(out, path);
		free(path);
		out_printf(out, ",\"state\":\"%s\",\"events_lost\":%s",
			track_outcomes[first[i].outcome], first[i].is_doubtful ? "true" : "false");
		if (t->options.rules.per) {
			out_str(out, ",\"group\":");
			put_string(out, track_group_text(t, first[i].per));
		}
		put_numbers(out, t, &first[i].row);
		put_steps(out, t, &first[i]);
		out_char(out, '}');
	}
}

/* Writes the lines, each an object, with commas. */
static void put_events(struct out *out, const struct chosen_life *it)
{
	for (size_t at = 0; it->has_view && at < it->text.len;) {
		const char *line = it->text.data + at;
		size_t length =
			(size_t)((const char *)memchr(line, '\n', it->text.len - at) - line);

		out_str(out, at ? ",\n  " : "\n  ");
		out_bytes(out, line, length);
		at += length + 1;
	}
}

static void put_chosen(struct out *out, const struct track *t, const struct chosen *chosen)
{
	for (size_t i = 0; i < chosen->all.count; i++) {
		const struct chosen_life *it = &chosen->all.items[i];
		char *path = track_life_path(t, &it->life);

		out_str(out, i ? ",\n {\"key\":" : "\n {\"key\":");
		put_string(out, it->key);
		out_str(out, ",\"life\":");
		put_string(out, lives_kind_name(&t->lives, &it->life));
		out_str(out, ",\"path\":");
		put_string(out, path);
		out_printf(out,
			",\"state\":\"%s\",\"events_lost\":%s,\"begin_ns\":%" PRIu64
			",\"end_ns\":%" PRIu64 ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
			",\"count\":%" PRIu64 ",\"events\":[",
			track_outcomes[it->life.outcome], it->life.is_doubtful ? "true" : "false",
			it->life.begin_ns, it->life.end_ns, it->life.pid, it->life.tid,
			it->life.count);
		put_events(out, it);
		out_str(out, "]}");
		free(path);
	}
}

void track_put_json(struct track *t)
{
	const struct lives *l = &t->lives;
	const struct unpaired *u = &t->groups.unpaired;
	struct out *out = &t->session.out;

	out_printf(out,
		"{\"lives\":%" PRIu64 ",\"unfinished\":%" PRIu64 ",\"end_lost\":%" PRIu64
		",\"begun_twice\":%" PRIu64 ",\"unbegun\":%" PRIu64 ",\"begin_lost\":%" PRIu64
		",\"outside\":%" PRIu64 ",\"keyless\":%" PRIu64 ",\"events_lost\":%" PRIu64
		",\"most_open\":%zu",
		l->begun, u->unfinished, u->end_lost, u->begun_twice, l->unbegun, l->begin_lost,
		l->outside, l->keyless, t->groups.doubtful, l->most_open);
	if (t->options.rules.per) {
		out_str(out, ",\"by\":");
		put_string(out, t->options.rules.per);
	}
	out_str(out, ",\n\"paths\":[");
	put_groups(out, t, true);
	out_str(out, "],\n\"without_end\":[");
	put_groups(out, t, false);
	out_str(out, "],\n\"slowest\":[");
	put_chosen(out, t, &t->slowest);
	out_str(out, "],\n\"oldest\":[");
	put_chosen(out, t, &t->unfinished);
	out_str(out, "]}\n");
}

/* ---- CSV ---- */

/* A row of a path, or of a step: `step` is its number, from 1, and `event` its name. */
static void put_csv_row(struct out *out, const struct track *t, const struct life_group *group,
	const char *path, uint32_t step)
{
	const char *names[PATHS_STEPS_MAX];
	struct report_number numbers[REPORT_NUMBERS_MAX];
	struct report_row row = group->row;
	const struct report r = { 0 };

	paths_steps(&t->lives.paths, group->path, names);
	if (step > 0) {
		row.lengths = &group->times[step - 1];
	}
	report_put_csv_text(out, path);
	out_printf(out, ",%s,%d,", track_outcomes[group->outcome], group->is_doubtful);
	if (t->options.rules.per) {
		report_put_csv_text(out, track_group_text(t, group->per));
		out_char(out, ',');
	}
	out_printf(out, "%" PRIu32 ",", step);
	report_put_csv_text(out, step > 0 ? names[step - 1] : NULL);
	size_t count = report_numbers(&r, &t->report.form, &row, numbers);

	for (size_t i = 0; i < count; i++) {
		out_printf(out, ",%" PRIu64, numbers[i].value);
	}
	out_char(out, '\n');
}

static void put_csv_groups(struct out *out, const struct track *t, bool has_ended)
{
	const struct life_group *first = track_first(t, has_ended);

	for (size_t i = 0; i < track_shown(t, has_ended); i++) {
		char *path = track_group_path(t, &first[i]);

		for (uint32_t step = 0; step <= first[i].step_count; step++) {
			put_csv_row(out, t, &first[i], path, step);
		}
		free(path);
	}
}

void track_put_csv(struct track *t)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	struct out *out = &t->session.out;
	const struct report r = { 0 };
	size_t count = report_numbers(&r, &t->report.form, NULL, numbers);

	out_printf(
		out, "path,state,events_lost%s,step,event", t->options.rules.per ? ",group" : "");
	for (size_t i = 0; i < count; i++) {
		out_printf(out, ",%s", numbers[i].title);
	}
	out_char(out, '\n');
	put_csv_groups(out, t, true);
	put_csv_groups(out, t, false);
}
