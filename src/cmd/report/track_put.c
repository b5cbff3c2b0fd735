/* SPDX-License-Identifier: MIT */
/*
 * The report of `waymark track` as text: a table of paths, a table of the lives that did not end,
 * the times of the steps of the first paths, the chosen lives. For programs: track_data.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/columns.h"
#include "cmd/escaped.h"
#include "cmd/report/track.h"
#include "view/path.h"

const char *const track_outcomes[] = {
	[LIFE_ENDED] = "ended",
	[LIFE_UNFINISHED] = "unfinished",
	[LIFE_END_LOST] = "end_lost",
	[LIFE_BEGUN_TWICE] = "begun_twice",
};

const char *track_group_text(const struct track *t, uint32_t group)
{
	return group ? t->lives.groups.items[group - 1] : NULL;
}

char *track_life_path(const struct track *t, const struct life *life)
{
	struct path_part parts[PATHS_STEPS_MAX];

	for (uint32_t i = 0; i < life->step_count; i++) {
		const struct life_step *step = &life->steps[i];

		parts[i] = (struct path_part){ step->count, step->count, step->loops };
	}
	return path_text(&t->lives.paths, life->path, parts);
}

char *track_group_path(const struct track *t, const struct life_group *group)
{
	return path_text(&t->lives.paths, group->path, group->parts);
}

static size_t count_groups(const struct track *t, bool has_ended)
{
	size_t count = 0;

	vec_foreach (const struct life_group *, group, &t->groups.all) {
		count += (group->outcome == LIFE_ENDED) == has_ended;
	}
	return count;
}

size_t track_shown(const struct track *t, bool has_ended)
{
	size_t count = count_groups(t, has_ended);

	return count < t->report.form.top ? count : t->report.form.top;
}

const struct life_group *track_first(const struct track *t, bool has_ended)
{
	vec_foreach (const struct life_group *, group, &t->groups.all) {
		if ((group->outcome == LIFE_ENDED) == has_ended) {
			return group;
		}
	}
	return NULL;
}

static struct report steps_of(const struct track *t, const struct life_group *group)
{
	struct report r = { .has_to = true };
	const char *names[PATHS_STEPS_MAX];
	size_t count = paths_steps(&t->lives.paths, group->path, names);

	for (size_t i = 0; i < count && i < group->step_count; i++) {
		struct report_row row = {
			.name = names[i],
			.to = i + 1 < count ? names[i + 1] : NULL,
			.lengths = &group->times[i],
		};

		if (i + 1 < count || row.lengths->count) {
			vec_push(&r.rows, row);
		}
	}
	return r;
}

/* ---- Tables ---- */

static char *titles_of(const struct track *t, const struct report *r)
{
	char *titles = NULL;
	size_t length;
	FILE *line = memory_stream(&titles, &length);

	if (r) {
		report_put_titles(line, r, &t->report.form);
	} else {
		fputs(" COUNT -LIVES", line);
	}
	if (t->options.rules.per) {
		fputs(" -", line);
		report_put_upper(line, t->options.rules.per, strlen(t->options.rules.per));
	}
	fputs(" -PATH", line);
	fclose(line);
	return titles;
}

/* Adds the last cells of a row. */
static void put_path(struct columns *c, const struct track *t, const struct life_group *group)
{
	char *path = track_group_path(t, group);
	char *text = NULL;

	if (t->options.rules.per) {
		const char *value = track_group_text(t, group->per);

		columns_put(c, value ? value : "-");
	}
	if (asprintf(&text, "%s%s", group->is_doubtful ? "events lost: " : "", path) < 0) {
		abort();
	}
	columns_put(c, text);
	free(text);
	free(path);
}

static void put_more(FILE *out, size_t shown, size_t all)
{
	if (shown < all) {
		fprintf(out, "%zu more are not shown\n", all - shown);
	}
}

static void put_paths(FILE *out, const struct track *t)
{
	const struct life_group *first = track_first(t, true);
	size_t shown = track_shown(t, true);
	const struct report r = { 0 };
	char *titles = titles_of(t, &r);
	struct columns c;

	columns_init(&c, titles + 1);
	for (size_t i = 0; i < shown; i++) {
		report_put_numbers(&c, &r, &t->report.form, &first[i].row);
		put_path(&c, t, &first[i]);
	}
	columns_print(&c, out);
	put_more(out, shown, count_groups(t, true));
	columns_fini(&c);
	free(titles);
}

static void put_unfinished(FILE *out, const struct track *t)
{
	static const char *const words[] = {
		[LIFE_UNFINISHED] = "unfinished",
		[LIFE_END_LOST] = "end lost?",
		[LIFE_BEGUN_TWICE] = "begun twice",
	};
	const struct life_group *first = track_first(t, false);
	size_t shown = track_shown(t, false);
	char *titles = titles_of(t, NULL);
	struct columns c;

	columns_init(&c, titles + 1);
	for (size_t i = 0; i < shown; i++) {
		columns_put_number(&c, first[i].row.lengths->count);
		columns_put(&c, words[first[i].outcome]);
		put_path(&c, t, &first[i]);
	}
	fputs(shown ? "\n" : "", out);
	columns_print(&c, out);
	put_more(out, shown, count_groups(t, false));
	columns_fini(&c);
	free(titles);
}

/* Prints the times after each step, for the first paths. */
static void put_steps(FILE *out, const struct track *t)
{
	const struct life_group *first = track_first(t, true);
	size_t shown = track_shown(t, true);
	struct report_form form = t->report.form;

	form.top = SIZE_MAX;
	for (size_t i = 0; i < shown && i < t->steps; i++) {
		struct report r = steps_of(t, &first[i]);
		char *path = track_group_path(t, &first[i]);

		if (r.rows.count > 0) {
			fputs("\n", out);
			escaped_put(out, path);
			fputs(first[i].is_doubtful ? ", events lost:\n" : ":\n", out);
			(form.has_histogram ? report_put_bars : report_put_table)(out, &r, &form);
		}
		free(path);
		vec_fini(&r.rows);
	}
}

static void put_bars(FILE *out, const struct track *t)
{
	const struct life_group *first = track_first(t, true);
	size_t shown = track_shown(t, true);
	struct report r = { .group = t->options.rules.per };

	for (size_t i = 0; i < shown; i++) {
		struct report_row row = first[i].row;

		row.name = track_group_path(t, &first[i]);
		row.group = (char *)(uintptr_t)track_group_text(t, first[i].per);
		vec_push(&r.rows, row);
	}
	report_put_bars(out, &r, &t->report.form);
	vec_foreach (struct report_row *, row, &r.rows) {
		free((char *)(uintptr_t)row->name);
	}
	vec_fini(&r.rows);
}

/* ---- Chosen lives ---- */

static void put_lines(FILE *out, const struct chosen_life *it)
{
	const char *line = it->has_view ? it->text.data : "";
	const char *end = it->has_view ? it->text.data + it->text.len : line;

	while (line < end) {
		const char *next = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1;

		fputs("  ", out);
		fwrite(line, 1, (size_t)(next - line), out);
		line = next;
	}
	if (it->lines > TRACK_LINES_MAX) {
		fprintf(out, "  %" PRIu64 " more events are not shown\n",
			it->lines - TRACK_LINES_MAX);
	}
}

static void put_chosen(FILE *out, const struct track *t, const struct chosen *chosen)
{
	char time[COLUMNS_TIME_SIZE];

	vec_foreach (const struct chosen_life *, it, &chosen->all) {
		char *path = track_life_path(t, &it->life);
		const char *kind = lives_kind_name(&t->lives, &it->life);

		columns_time(time, it->life.end_ns - it->life.begin_ns);
		fputc('\n', out);
		escaped_printf(out, "%s%s%s: %s%s from %" PRIu64 ".%09" PRIu64 ", %s%s", kind,
			*kind ? " " : "", it->key, time,
			chosen->is_oldest ? " without an end," : "", it->life.begin_ns / 1000000000,
			it->life.begin_ns % 1000000000, it->life.is_doubtful ? "events lost: " : "",
			path);
		fputc('\n', out);
		put_lines(out, it);
		free(path);
	}
}

/* ---- Numbers below the tables ---- */

/* Returns the number of lives whose path is not kept. */
static uint64_t count_other(const struct track *t)
{
	uint64_t count = 0;

	vec_foreach (const struct life_group *, group, &t->groups.all) {
		count += group->path == PATHS_OTHER ? group->row.lengths->count : 0;
	}
	return count;
}

static void put_notes(FILE *out, const struct track *t)
{
	struct report r = { .unpaired = t->groups.unpaired, .keyless = t->lives.keyless };

	r.unpaired.unbegun = t->lives.unbegun;
	r.unpaired.begin_lost = t->lives.begin_lost;
	report_put_unpaired(out, &r);
	if (t->lives.outside) {
		fprintf(out,
			"%" PRIu64 " events outside of a life: before its begin or after its end\n",
			t->lives.outside);
	}
	if (count_other(t)) {
		fprintf(out,
			"%" PRIu64
			" took other paths: of more than %d steps, or above the limit of %d paths\n",
			count_other(t), PATHS_STEPS_MAX, LIFE_GROUPS_MAX);
	}
	if (t->groups.doubtful) {
		fprintf(out, "%" PRIu64 " ended, but may lack events, which were lost meanwhile\n",
			t->groups.doubtful);
	}
}

void track_put_text(struct track *t)
{
	char *text = NULL;
	size_t length;
	FILE *file = memory_stream(&text, &length);

	if (t->groups.all.count == 0) {
		fputs("no lives\n", file);
	} else if (t->report.form.has_histogram) {
		put_bars(file, t);
	} else {
		put_paths(file, t);
	}
	put_unfinished(file, t);
	put_steps(file, t);
	put_chosen(file, t, &t->slowest);
	put_chosen(file, t, &t->unfinished);
	put_notes(file, t);
	fclose(file);
	out_bytes(&t->session.out, text, length);
	free(text);
}
