/* SPDX-License-Identifier: MIT */
/* The options of reports, see cmd/report/report.h. */
#include "cmd/report/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "text/scan.h"

#define PERCENTS_DEFAULT "50,90,99"
#define SHARE_MAX 100000000u /* a millionth of a percent */

/* Reads `99`, `99.9`, with at most six decimals; false: it is no such. */
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

/* Reads one, up to a comma; false: it is none. */
static bool take_percent(struct report_form *form, const char *text, size_t length)
{
	size_t i = form->percent_count;

	if (!read_percent(&form->percents[i], text, length)) {
		return false;
	}
	memcpy(form->percent_texts[i], text, length);
	form->percent_texts[i][length] = '\0';
	form->percent_count++;
	return true;
}

/* Whether the last one is there before. */
static bool is_repeated(const struct report_form *form)
{
	size_t last = form->percent_count - 1;

	for (size_t i = 0; i < last; i++) {
		if (strcmp(form->percent_texts[i], form->percent_texts[last]) == 0) {
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

		if (form->percent_count == REPORT_PERCENTS_MAX) {
			return arguments_bad(command, "at most %d percentiles can be shown",
				REPORT_PERCENTS_MAX);
		}
		if (!take_percent(form, text, length)) {
			return arguments_bad(command,
				"'%.*s' is not a percentile: 0 to 100, as in 50,95,99.9, with at "
				"most six decimals",
				(int)length, text);
		}
		if (is_repeated(form)) {
			return arguments_bad(command, "'%.*s' is there twice", (int)length, text);
		}
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

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strcmp(text, orders[i]) == 0) {
			o->order = (enum report_order)i;
			return 0;
		}
	}
	return arguments_bad(command,
		"--sort takes total, count, average, max, or self of scopes, not '%s'", text);
}

static int take_top(struct report_options *o, const struct command *command, const char *text)
{
	char *end;

	errno = 0;
	o->form.top = strtoul(text, &end, 10);
	if (!is_digit(*text) || *end || errno) {
		return arguments_bad(command, "'%s' is not a number of rows", text);
	}
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
		o->style = key == REPORT_KEY_JSON ? REPORT_JSON : REPORT_CSV;
		return 0;
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

void report_put(struct session *s, struct report *r, const struct report_options *o)
{
	static void (*const puts[])(
		struct out *, const struct report *, const struct report_form *) = {
		[REPORT_TEXT] = report_put_text,
		[REPORT_JSON] = report_put_json,
		[REPORT_CSV] = report_put_csv,
	};

	report_end(r, o->order);
	session_begin_output(s);
	puts[o->style](&s->out, r, &o->form);
}
