/* SPDX-License-Identifier: MIT */
/* Any bytes as a trace, read by the filter, lives, and the text, simpletrace and info views. */
#include "reader_input.h"

#include "analyse/aggregates.h"
#include "analyse/life/life_groups.h"
#include "analyse/life/lives.h"
#include "analyse/reports.h"
#include "analyse/summary.h"
#include "read/filter.h"
#include "view/aggregates.h"
#include "view/info.h"
#include "view/lines.h"
#include "view/message/message.h"
#include "view/simpletrace.h"

struct consumers {
	struct filter filter;
	struct summary summary;
	struct reports reports;
	struct aggregates aggregates;
	struct lines lines;
	struct simpletrace_view simpletrace;
	struct lives_options lives_options;
	struct lives lives;
	struct life_groups groups;
	struct out out;
};

/* A life's steps have all of its events and all of its time. */
static void on_life(void *consumers, const struct life *life)
{
	struct consumers *c = consumers;
	uint64_t count = 0;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < life->step_count; i++) {
		count += life->steps[i].count;
		ns += life->steps[i].ns;
	}
	if (life->path != PATHS_OTHER &&
		(count != life->count || ns != life->end_ns - life->begin_ns ||
			life->step_count != c->lives.paths.all.items[life->path].depth)) {
		abort();
	}
	free(lives_key_text(&c->lives, life));
	life_groups_add(&c->groups, life);
}

/* By one field or another of the events above, or by the declared keys of others. */
static void init_lives(struct consumers *c, struct reader *r, unsigned int options)
{
	c->lives_options = (struct lives_options){
		.rules = {
			.by = { { .names = { "req", "offset", "flags" }, .count = 3 } },
			.by_count = options & FILTER ? 1 : 0,
			.filter = &c->filter,
			.per = "@pid",
		},
		.text = message_value_text,
		.idle_ns = options & OLD_STYLE ? 1000000 : 0,
		.max_open = 1000,
		.is_across = options & NO_HEADER,
		.data = c,
		.ended = on_life,
	};
	c->groups = (struct life_groups){ 0 };
	lives_init(&c->lives, &c->lives_options, r);
}

static void init(struct consumers *c, struct reader *r, unsigned int options)
{
	filter_init(&c->filter);
	if (options & FILTER) {
		char why[100];

		filter_add_pattern(&c->filter, "blk_*e*", why, sizeof(why));
		filter_parse_time(&c->filter.from, "+0.5");
		filter_parse_time(&c->filter.to, "+99999999");
	}
	summary_init(&c->summary);
	reports_init(&c->reports);
	aggregates_init(&c->aggregates);
	out_init(&c->out, OUT_TO_MEMORY);
	const unsigned int style = (options & ~(unsigned int)DIRECTORY) >> TIME_SHIFT;

	lines_init(&c->lines, &c->out, r, style < 3 ? &lines_text : &lines_json,
		(enum timestamp_mode)style);
	c->lines.colour = options & OLD_STYLE;
	simpletrace_view_init(&c->simpletrace, &c->out, r,
		simpletrace_style_find(options & OLD_STYLE ? "5" : "10.2"));
	init_lives(c, r, options);
}

static void fini(struct consumers *c)
{
	lives_fini(&c->lives);
	life_groups_fini(&c->groups);
	filter_fini(&c->filter);
	summary_fini(&c->summary);
	reports_fini(&c->reports);
	aggregates_fini(&c->aggregates);
	lines_fini(&c->lines);
	simpletrace_view_fini(&c->simpletrace);
	out_fini(&c->out);
}

static void consume(struct consumers *c, const struct record *rec)
{
	c->out.len = 0;
	lines_see(&c->lines, rec);
	if (filter_passes(&c->filter, rec)) {
		lines_put(&c->lines, rec);
		/* One record is one line. */
		if (memchr(c->out.data, '\n', c->out.len) != c->out.data + c->out.len - 1) {
			abort();
		}
	}
	if (rec->kind == RECORD_GAP || rec->class->event) {
		simpletrace_view_put(&c->simpletrace, rec);
	}
	summary_add(&c->summary, rec);
	lives_add(&c->lives, rec);
}

/* Half of the inputs are read in pieces, as the commands read. */
static void take_few(struct consumers *c, struct reader *r, unsigned int options)
{
	struct record records[7];
	size_t count = options & NO_EVENTS ? 0 : reader_take(r, records, ARRAY_SIZE(records));

	for (size_t i = 0; i < count; i++) {
		consume(c, &records[i]);
	}
	lines_put_few(&c->lines, records, count);
	summary_add_few(&c->summary, records, count);
	c->out.len = 0;
}

static void read_all(struct reader *r, unsigned int options)
{
	struct consumers c;
	struct record rec;
	enum read_result result;

	init(&c, r, options);
	while (take_few(&c, r, options),
		(result = reader_next(r, &rec)) == READ_RECORD || result == READ_PROBLEM) {
		if (result == READ_RECORD) {
			consume(&c, &rec);
			reports_add(&c.reports, r, &rec);
			aggregates_add(&c.aggregates, r, &rec);
		}
	}
	lives_end(&c.lives);
	life_groups_sort(&c.groups, REPORT_TOTAL);
	summary_sort(&c.summary);
	const struct info info = {
		.path = "trace", .reader = r, .summary = &c.summary, .reports = &c.reports
	};

	aggregates_end(&c.aggregates);
	aggregates_put_json(&c.out, &c.aggregates);
	aggregates_put_prometheus(&c.out, &c.aggregates);
	info_put_text(&c.out, &info);
	info_put_json(&c.out, &info);
	fini(&c);
}
