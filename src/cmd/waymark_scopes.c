/* SPDX-License-Identifier: MIT */
/* `waymark scopes`: what the scopes of a trace took. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/scopes.h"
#include "base/compiler.h"
#include "cmd/arguments.h"
#include "cmd/columns.h"
#include "cmd/session.h"
#include "cmd/waymark.h"
#include "view/scopes.h"

enum { KEY_JSON = ARGUMENT_LONG, KEY_CSV };

static const struct argument rows[] = {
	{ 'e', "declarations", "FILE", "the events' declarations, for old traces" },
	{ KEY_JSON, "json", NULL, "for programs" },
	{ KEY_CSV, "csv", NULL, "the same as comma-separated values" },
	{ 'o', "output", "FILE", "write to FILE" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark scopes",
	.usage = "[-e DECLARATIONS] [--json] [--csv] [-o FILE] TRACE...",
	.about =
		"Says where time went: of the scopes of each name how many there are, and how long\n"
		"they took, the longest in all first. SELF is without the scopes that the same thread\n"
		"had begun meanwhile. TRACE is a file or a directory; - is standard input.",
	.arguments = rows,
};

struct options {
	const char *output;
	void (*put)(struct out *out, const struct scopes *s);
};

/* Times for people: three digits, and a unit. */
static void put_time(struct columns *c, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double value = (double)ns;
	size_t unit = 0;
	char text[48];

	while (unit + 1 < ARRAY_SIZE(units) && value >= 999.5) {
		value /= 1000;
		unit++;
	}
	int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

	snprintf(text, sizeof(text), "%.*f %s", digits, value, units[unit]);
	columns_put(c, text);
}

static void put_row(struct columns *c, const struct scope_row *row)
{
	uint64_t numbers[SCOPES_NUMBERS];

	scopes_numbers(row, numbers);
	columns_put(c, row->name);
	columns_put_number(c, numbers[0]);
	for (size_t i = 1; i < SCOPES_NUMBERS; i++) {
		if (numbers[0] > 0) {
			put_time(c, numbers[i]);
		} else {
			columns_put(c, "-");
		}
	}
}

/* What did not become a span, a line each. */
static void put_unpaired(struct out *out, const struct unpaired *u)
{
	const struct {
		uint64_t count;
		const char *text;
	} lines[] = {
		{ u->unfinished, "unfinished: the trace ends first" },
		{ u->end_lost, "without an end, which may be among lost events" },
		{ u->unbegun,
			"ended without a beginning, as after a fork or when the trace began" },
		{ u->begin_lost, "ended without a beginning, which may be among lost events" },
		{ u->begun_twice, "begun once more before their end" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (lines[i].count > 0) {
			out_printf(out, "%" PRIu64 " %s\n", lines[i].count, lines[i].text);
		}
	}
}

static void put_text(struct out *out, const struct scopes *s)
{
	struct columns c;
	char *text = NULL;
	size_t length;
	FILE *table = open_memstream(&text, &length);

	if (!table) {
		abort();
	}
	columns_init(&c, "-SCOPE COUNT TOTAL SELF AVERAGE MIN P50 P90 P99 MAX");
	vec_foreach (const struct scope_row *, row, &s->rows) {
		put_row(&c, row);
	}
	columns_print(&c, table);
	columns_fini(&c);
	fclose(table);
	out_bytes(out, text, length);
	free(text);
	out_str(out, s->rows.count ? "" : "no scopes\n");
	put_unpaired(out, &s->unpaired);
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct session *s, struct options *options, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key == 'e' && session_declare(s, optarg)) {
			continue;
		} else if (key == KEY_JSON || key == KEY_CSV) {
			options->put = key == KEY_JSON ? scopes_put_json : scopes_put_csv;
		} else if (key == 'o') {
			options->output = optarg;
		} else {
			return key == ARGUMENTS_DONE ? key : ARGUMENTS_BAD;
		}
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

static void add(struct scopes *scopes, struct session *s, const struct record *rec)
{
	bool is_wanted = pairs_wants(&scopes->pairs, rec);

	if (is_wanted || rec->kind == RECORD_GAP) {
		scopes_add(scopes, rec, is_wanted ? reader_values(s->reader, rec) : NULL);
	}
}

static void add_all(struct session *s, const struct options *options)
{
	struct scopes scopes;
	struct record records[SESSION_FEW];
	size_t count;

	scopes_init(&scopes, &s->reader->classes);
	while ((count = session_next_few(s, records))) {
		for (size_t i = 0; i < count; i++) {
			add(&scopes, s, &records[i]);
		}
	}
	scopes_end(&scopes);
	options->put(&s->out, &scopes);
	scopes_fini(&scopes);
}

int waymark_scopes(int argc, char **argv)
{
	struct session s;
	struct options options = { .put = put_text };

	session_init(&s, command.name);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		session_end(&s);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (session_open_several(&s, argv + optind, options.output)) {
		add_all(&s, &options);
	}
	return session_end(&s);
}
