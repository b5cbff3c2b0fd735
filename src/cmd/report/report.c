/* SPDX-License-Identifier: MIT */
/*
 * Reports about spans of time, for several commands: options, table and bars, and the lines for
 * records that did not become a span.
 */
#include "cmd/report/report.h"

#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/columns.h"
#include "cmd/escaped.h"
#include "text/scan.h"

#define PERCENTS_DEFAULT "50,90,99"
#define SHARE_MAX 100000000u /* a millionth of a percent */
#define BAR_WIDTH 50

/* ---- Options ---- */

/* Reads a percentile such as `99` or `99.9`, with at most six decimals; false if it is none. */
static bool read_percent(struct distribution_share *share, const char *text, size_t length)
{
	bool has_point = false;

	*share = (struct distribution_share){ 0, 100 };
	if (length == 0 || length > REPORT_PERCENT_TEXT || !is_digit(*text)) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !has_point) {
			has_point = true;
		} else if (is_digit(text[i])) {
			share->parts = 10 * share->parts + (uint64_t)(text[i] - '0');
			share->of *= has_point ? 10 : 1;
		} else {
			return false;
		}
	}
	return share->parts <= share->of && share->of <= SHARE_MAX;
}

static bool is_repeated(const struct report_form *form, const char *text)
{
	for (size_t i = 0; i < form->percent_count; i++) {
		if (strcmp(form->percent_texts[i], text) == 0) {
			return true;
		}
	}
	return false;
}

static int take_percents(struct report_form *form, const struct command *command, const char *text)
{
	form->percent_count = 0;
	for (;;) {
		size_t length = strcspn(text, ",");
		size_t i = form->percent_count;

		if (i == REPORT_PERCENTS_MAX) {
			return arguments_bad(command, "at most %d percentiles can be shown",
				REPORT_PERCENTS_MAX);
		}
		if (!read_percent(&form->percents[i], text, length)) {
			return arguments_bad(command,
				"'%.*s' is not a percentile: 0 to 100, as in 50,95,99.9, with at "
				"most six decimals",
				(int)length, text);
		}
		memcpy(form->percent_texts[i], text, length);
		form->percent_texts[i][length] = '\0';
		if (is_repeated(form, form->percent_texts[i])) {
			return arguments_bad(
				command, "the percentile '%.*s' is given twice", (int)length, text);
		}
		form->percent_count++;
		if (!text[length]) {
			return 0;
		}
		text += length + 1;
	}
}

static int take_order(struct report_options *o, const struct command *command, const char *text)
{
	static const char *const orders[] = {
		[REPORT_TOTAL] = "total",
		[REPORT_COUNT] = "count",
		[REPORT_AVERAGE] = "average",
		[REPORT_MAX] = "max",
		[REPORT_SELF] = "self",
	};

	int order = arguments_word(text, orders, ARRAY_SIZE(orders));

	if (order < 0) {
		return arguments_bad(command,
			"--sort takes total, count, average, max, or self of scopes, not '%s'",
			text);
	}
	o->order = (enum report_order)order;
	return 0;
}

static int take_top(struct report_options *o, const struct command *command, const char *text)
{
	uint64_t top;

	if (!arguments_number(text, SIZE_MAX, &top)) {
		return arguments_bad(command, "'%s' is not a number of rows", text);
	}
	o->form.top = (size_t)top;
	return 0;
}

static int take_style(
	struct report_options *o, const struct command *command, enum report_style style)
{
	if (o->style != REPORT_TEXT && o->style != style) {
		return arguments_bad(command, "--json and --csv exclude each other");
	}
	o->style = style;
	return 0;
}

void report_options_init(struct report_options *o)
{
	*o = (struct report_options){ .form.top = SIZE_MAX };
	take_percents(&o->form, NULL, PERCENTS_DEFAULT);
}

int report_take(struct report_options *o, struct session *s, const struct command *command, int key)
{
	switch (key) {
	case REPORT_KEY_JSON:
	case REPORT_KEY_CSV:
		return take_style(o, command, key == REPORT_KEY_JSON ? REPORT_JSON : REPORT_CSV);
	case REPORT_KEY_PERCENTILES:
		return take_percents(&o->form, command, optarg);
	case REPORT_KEY_HISTOGRAM:
		o->form.has_histogram = true;
		return 0;
	case REPORT_KEY_SORT:
		return take_order(o, command, optarg);
	case REPORT_KEY_TOP:
		return take_top(o, command, optarg);
	case 'e':
		return session_declare(s, optarg) ? 0 : ARGUMENTS_BAD;
	case 'o':
		o->output = optarg;
		return 0;
	default:
		break;
	}
	if (selection_has(key)) {
		return selection_take(s, command, key);
	}
	return key == ARGUMENTS_DONE ? key : ARGUMENTS_BAD;
}

/* ---- Records that did not become a span ---- */

uint64_t unpaired_get(const struct unpaired *u, size_t kind, const char **text)
{
	const struct {
		uint64_t count;
		const char *text;
	} lines[UNPAIRED_KINDS] = {
		{ u->unfinished, "unfinished: the trace ends first" },
		{ u->end_lost, "without an end, which may be among lost events" },
		{ u->unbegun,
			"ended without a beginning, as after a fork or when the trace began" },
		{ u->begin_lost, "ended without a beginning, which may be among lost events" },
		{ u->begun_twice, "begun once more before their end" },
		{ u->events_lost,
			"left out: events were lost meanwhile, so the end may be of a later begin" },
	};

	*text = lines[kind].text;
	return lines[kind].count;
}

bool report_has_event(struct session *s, const struct name_pattern *p)
{
	VEC(const char *) names = { 0 };
	bool is_found = false;

	vec_foreach (struct event *const *, e, &s->declarations.model.events) {
		is_found |= name_pattern_meets(p, (*e)->name);
	}
	vec_foreach (struct event_class *const *, c, &s->reader->classes.all) {
		is_found |= name_pattern_meets(p, (*c)->name);
		vec_push(&names, (*c)->name);
	}
	if (!is_found) {
		selection_no_name(s, "there is no event", p->text, names.items, names.count);
	}
	vec_fini(&names);
	return is_found;
}

/* ---- Text ---- */

static const char *or_dash(const char *name)
{
	return name ? name : "-";
}

void report_put_numbers(struct columns *c, const struct report *r, const struct report_form *form,
	const struct report_row *row)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	size_t count = report_numbers(r, form, row, numbers);
	char text[COLUMNS_TIME_SIZE];

	columns_put_number(c, numbers[0].value);
	for (size_t i = 1; i < count; i++) {
		columns_time(text, numbers[i].value);
		columns_put(c, numbers[0].value ? text : "-");
	}
}

static void put_row(struct columns *c, const struct report *r, const struct report_form *form,
	const struct report_row *row)
{
	columns_put(c, or_dash(row->name));
	if (r->has_to) {
		columns_put(c, or_dash(row->to));
	}
	if (r->group) {
		columns_put(c, or_dash(row->group));
	}
	report_put_numbers(c, r, form, row);
}

void report_put_upper(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		fputc(toupper((unsigned char)text[i]), out);
	}
}

/* Prints the titles of the JSON without units, as each value has its unit. */
void report_put_titles(FILE *out, const struct report *r, const struct report_form *form)
{
	struct report_number numbers[REPORT_NUMBERS_MAX];
	size_t count = report_numbers(r, form, NULL, numbers);

	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(numbers[i].title);
		bool has_unit = length > 3 && strcmp(numbers[i].title + length - 3, "_ns") == 0;

		fputc(' ', out);
		report_put_upper(out, numbers[i].title, has_unit ? length - 3 : length);
	}
}

static void print_titles(FILE *out, const struct report *r, const struct report_form *form)
{
	fputs(r->has_to ? "-FROM -TO" : "-SCOPE", out);
	if (r->group) {
		fputs(" -", out);
		report_put_upper(out, r->group, strlen(r->group));
	}
	report_put_titles(out, r, form);
}

void report_put_unpaired(FILE *out, const struct report *r)
{
	const char *text;

	for (size_t i = 0; i < UNPAIRED_KINDS; i++) {
		uint64_t count = unpaired_get(&r->unpaired, i, &text);

		if (count > 0) {
			fprintf(out, "%" PRIu64 " %s\n", count, text);
		}
	}
	if (r->keyless > 0) {
		fprintf(out,
			"%" PRIu64 " with values of --by that are cut short or absent, left out\n",
			r->keyless);
	}
}

void report_put_table(FILE *out, const struct report *r, const struct report_form *form)
{
	struct columns c;
	char *titles = NULL;
	size_t length;
	FILE *line = memory_stream(&titles, &length);

	print_titles(line, r, form);
	fclose(line);
	columns_init(&c, titles);
	for (size_t i = 0; i < report_shown(r, form); i++) {
		put_row(&c, r, form, &r->rows.items[i]);
	}
	columns_print(&c, out);
	columns_fini(&c);
	free(titles);
}

static void put_bar(FILE *out, unsigned int bits, uint64_t count, uint64_t most)
{
	char from[COLUMNS_TIME_SIZE];
	char to[COLUMNS_TIME_SIZE];
	int width = (int)((double)count / (double)most * BAR_WIDTH + 0.5);

	columns_time(from, bits ? UINT64_C(1) << (bits - 1) : 0);
	columns_time(to, bits < 64 ? UINT64_C(1) << bits : UINT64_MAX);
	/* A count above 0 always shows a bar. */
	width = count > 0 && width == 0 ? 1 : width;
	fprintf(out, "%8s .. %-8s |", from, to);
	for (int i = 0; i < BAR_WIDTH; i++) {
		fputc(i < width ? '#' : ' ', out);
	}
	fprintf(out, "| %" PRIu64 "\n", count);
}

void report_put_bars(FILE *out, const struct report *r, const struct report_form *form)
{
	unsigned int first;
	unsigned int last;

	for (size_t i = 0; i < report_shown(r, form); i++) {
		const struct report_row *row = &r->rows.items[i];
		bool has_any = report_buckets(row, &first, &last);
		uint64_t most = 1;

		escaped_put(out, or_dash(row->name));
		if (r->has_to) {
			fputs(" -> ", out);
			escaped_put(out, or_dash(row->to));
		}
		if (r->group) {
			escaped_printf(out, ", %s %s", r->group, or_dash(row->group));
		}
		fprintf(out, ": %" PRIu64 "\n", row->lengths ? row->lengths->count : 0);
		for (unsigned int bits = first; has_any && bits <= last; bits++) {
			uint64_t count = distribution_of_bits(row->lengths, bits);

			most = count > most ? count : most;
		}
		for (unsigned int bits = first; has_any && bits <= last; bits++) {
			put_bar(out, bits, distribution_of_bits(row->lengths, bits), most);
		}
		fputc('\n', out);
	}
}

static void put_text(struct out *out, const struct report *r, const struct report_form *form)
{
	char *text = NULL;
	size_t length;
	FILE *file = memory_stream(&text, &length);

	(form->has_histogram ? report_put_bars : report_put_table)(file, r, form);
	if (r->rows.count == 0) {
		fputs(r->has_to ? "neither event was recorded\n" : "no scopes\n", file);
	} else if (report_shown(r, form) < r->rows.count) {
		fprintf(file, "%zu more are not shown\n", r->rows.count - report_shown(r, form));
	}
	report_put_unpaired(file, r);
	fclose(file);
	out_bytes(out, text, length);
	free(text);
}

void report_put(struct session *s, struct report *r, const struct report_options *o)
{
	static void (*const puts[])(
		struct out *, const struct report *, const struct report_form *) = {
		[REPORT_TEXT] = put_text,
		[REPORT_JSON] = report_put_json,
		[REPORT_CSV] = report_put_csv,
	};

	session_explain_states(s);
	report_end(r, o->order);
	session_begin_output(s);
	puts[o->style](&s->out, r, &o->form);
}
