/* SPDX-License-Identifier: MIT */
/* See view/scopes.h. */
#include "view/scopes.h"

#include <inttypes.h>

#include "view/message_json.h"

const char *const scopes_titles[SCOPES_NUMBERS] = {
	"count",
	"total_ns",
	"self_ns",
	"average_ns",
	"min_ns",
	"p50_ns",
	"p90_ns",
	"p99_ns",
	"max_ns",
};

void scopes_numbers(const struct scope_row *row, uint64_t numbers[SCOPES_NUMBERS])
{
	static const struct distribution none;
	const struct distribution *d = row->lengths ? row->lengths : &none;
	const uint64_t all[SCOPES_NUMBERS] = { d->count, d->sum, row->self_ns,
		distribution_average(d), d->min, distribution_percentile(d, 50),
		distribution_percentile(d, 90), distribution_percentile(d, 99), d->max };

	memcpy(numbers, all, sizeof(all));
}

static void put_string(struct out *out, const char *text)
{
	size_t length = strlen(text);
	char *begin = out_reserve(out, JSON_EXPANSION * length + JSON_QUOTES);

	out_advance(out, (size_t)(json_put_string(begin, text, length) - begin));
}

static void put_unpaired(struct out *out, const struct unpaired *u)
{
	out_printf(out,
		"\"unfinished\":%" PRIu64 ",\"end_lost\":%" PRIu64 ",\"unbegun\":%" PRIu64
		",\"begin_lost\":%" PRIu64 ",\"begun_twice\":%" PRIu64,
		u->unfinished, u->end_lost, u->unbegun, u->begin_lost, u->begun_twice);
}

void scopes_put_json(struct out *out, const struct scopes *s)
{
	uint64_t numbers[SCOPES_NUMBERS];

	out_char(out, '{');
	put_unpaired(out, &s->unpaired);
	out_str(out, ",\n\"scopes\":[");
	for (size_t i = 0; i < s->rows.count; i++) {
		const struct scope_row *row = &s->rows.items[i];

		out_str(out, i ? ",\n {\"name\":" : "\n {\"name\":");
		put_string(out, row->name);
		scopes_numbers(row, numbers);
		for (size_t n = 0; n < SCOPES_NUMBERS; n++) {
			out_printf(out, ",\"%s\":%" PRIu64, scopes_titles[n], numbers[n]);
		}
		out_char(out, ',');
		put_unpaired(out, &row->unpaired);
		out_char(out, '}');
	}
	out_str(out, "]}\n");
}

/* In quotes, of which those inside are doubled. */
static void put_quoted(struct out *out, const char *text)
{
	out_char(out, '"');
	for (; *text; text++) {
		out_str(out, *text == '"' ? "\"" : "");
		out_char(out, *text);
	}
	out_char(out, '"');
}

void scopes_put_csv(struct out *out, const struct scopes *s)
{
	uint64_t numbers[SCOPES_NUMBERS];

	out_str(out, "name");
	for (size_t n = 0; n < SCOPES_NUMBERS; n++) {
		out_printf(out, ",%s", scopes_titles[n]);
	}
	out_str(out, ",unfinished,end_lost,unbegun,begin_lost,begun_twice\n");
	vec_foreach (const struct scope_row *, row, &s->rows) {
		const struct unpaired *u = &row->unpaired;

		put_quoted(out, row->name);
		scopes_numbers(row, numbers);
		for (size_t n = 0; n < SCOPES_NUMBERS; n++) {
			out_printf(out, ",%" PRIu64, numbers[n]);
		}
		out_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			u->unfinished, u->end_lost, u->unbegun, u->begin_lost, u->begun_twice);
	}
}
