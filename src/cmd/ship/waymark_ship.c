/* SPDX-License-Identifier: MIT */
/*
 * `waymark ship`: sends the events of this host's traced processes to an engine that has those of
 * all hosts. The place in each trace survives kills, in a folder.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/ship/run.h"
#include "cmd/waymark.h"

#define NAME "waymark ship"
#define INTERVAL_MS 1000
#define SPOOL_BYTES ((uint64_t)256 << 20)

enum {
	KEY_TO = ARGUMENT_LONG,
	KEY_STATE,
	KEY_TRACES,
	KEY_SPOOL,
	KEY_INTERVAL,
	KEY_ONCE,
	KEY_CA,
	KEY_METRICS,
	KEY_LATENCIES
};

static const struct argument rows[] = {
	{ KEY_TO, "to", "PLACE",
		"clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE, or clickhouses:// with TLS;\n"
		"HOST|HOST: replicas; may be repeated: each has all events" },
	{ KEY_TRACES, "traces", "DIR",
		"also the traces in this folder, and new ones; may be repeated" },
	{ KEY_ONCE, "once", NULL, "end when everything that is there now is sent" },
	{ KEY_STATE, "state", "DIR",
		"remember here what was sent (default: a folder of the user)" },
	{ KEY_SPOOL, "spool", "BYTES", "keep so much while no server answers (default 256M)" },
	{ KEY_INTERVAL, "interval", "SECONDS", "send at least so often (default 1)" },
	{ KEY_METRICS, "metrics", "[ADDRESS:]PORT",
		"answer scrapes of Prometheus, as 'waymark metrics --listen' does" },
	{ KEY_LATENCIES, "latencies", NULL,
		"with --metrics: also times of scopes and declared lives" },
	{ KEY_CA, "ca", "FILE", "the certificates that sign the server's" },
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage = "--to=PLACE [OPTION...] [TRACE...]",
	.about =
		"Sends the events of all traced processes of this user, for root of all users, to a\n"
		"ClickHouse server while they are recorded, each once, or those of TRACE only. It\n"
		"reads memory and files, and goes on after a kill where it was. 'waymark schema'\n"
		"prints the tables. The password is read from CLICKHOUSE_PASSWORD.",
	.arguments = rows,
};

/* ---- Options ---- */

/* Reads a number of bytes, with K, M, G or T. */
static int take_bytes(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	char digits[24];
	size_t length = strspn(text, "0123456789");
	const char *unit = text[length] ? strchr(units, text[length]) : NULL;
	unsigned int shift = unit ? 10u * (unsigned int)(unit - units + 1) : 0;

	snprintf(digits, sizeof(digits), "%.*s", (int)length, text);
	if (!arguments_number(digits, UINT64_MAX >> shift, bytes) || *bytes == 0 ||
		(text[length] && (!unit || text[length + 1]))) {
		return arguments_bad(&command, "--spool: '%s' is no size: write 256M or 10G", text);
	}
	*bytes <<= shift;
	return 0;
}

static int take_interval(const char *text, unsigned int *ms)
{
	int taken = 0;
	int failed = arguments_milliseconds(&command, text, &taken);

	*ms = (unsigned int)taken;
	return failed;
}

static int take(struct ship_command *c, int key)
{
	switch (key) {
	case KEY_TO:
		vec_push(&c->places, optarg);
		return 0;
	case KEY_TRACES:
		vec_push(&c->ship.sources.folders, optarg);
		return 0;
	case KEY_ONCE:
		c->ship.options.is_once = true;
		return 0;
	case KEY_STATE:
		c->state = optarg;
		return 0;
	case KEY_SPOOL:
		return take_bytes(optarg, &c->ship.options.spool_bytes);
	case KEY_INTERVAL:
		return take_interval(optarg, &c->ship.options.interval_ms);
	case KEY_METRICS:
		c->metrics = optarg;
		return 0;
	case KEY_LATENCIES:
		c->has_latencies = true;
		return 0;
	case KEY_CA:
		c->authority = optarg;
		return 0;
	default:
		return key;
	}
}

/* Sets the folder of the state: systemd's, or one of the user. */
static int set_state(struct ship_command *c)
{
	const char *service = getenv("STATE_DIRECTORY");
	const char *home = getenv("HOME");

	if (c->state) {
		return 0;
	}
	if (service) {
		snprintf(c->path, sizeof(c->path), "%s", service);
	} else if (geteuid() == 0) {
		snprintf(c->path, sizeof(c->path), "/var/lib/waymark-ship");
	} else if (home) {
		snprintf(c->path, sizeof(c->path), "%s/.waymark-ship", home);
	} else {
		return arguments_bad(&command, "HOME is not set: give --state=DIR");
	}
	c->state = c->path;
	return 0;
}

/* Takes the places of WAYMARK_SHIP_TO, between spaces. False: there is none. */
static bool take_variable(struct ship_command *c)
{
	char *places = getenv("WAYMARK_SHIP_TO");
	char *rest = NULL;

	for (char *place = places ? strtok_r(places, " ", &rest) : NULL; place;
		place = strtok_r(NULL, " ", &rest)) {
		vec_push(&c->places, place);
	}
	return c->places.count > 0;
}

static int parse(struct ship_command *c, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(c, key);

		if (failed) {
			return failed;
		}
	}
	if (c->places.count == 0 && !take_variable(c)) {
		return arguments_bad(&command, "--to=PLACE is missing");
	}
	if (c->has_latencies && !c->metrics) {
		return arguments_bad(&command, "--latencies needs --metrics");
	}
	for (int i = optind; i < argc; i++) {
		sources_add(&c->ship.sources, argv[i])->is_given = true;
	}
	c->ship.sources.has_processes = argc == optind;
	return set_state(c);
}

static void write_report(const char *destination, const char *text)
{
	escaped_say(NAME, "%s%s%s", destination ? destination : "", destination ? ": " : "", text);
}

int waymark_ship(int argc, char **argv)
{
	struct ship_command c = {
		.report = { write_report, NULL },
		.ship.options = { .spool_bytes = SPOOL_BYTES, .interval_ms = INTERVAL_MS },
	};
	int status = EXIT_FAILURE;

	sources_init(&c.ship.sources);
	int failed = parse(&c, argc, argv);

	if (failed) {
		status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	} else if (destinations_init(&c) && destinations_choose_states(&c)) {
		status = c.destination_count == 1 ? destination_run(&c, 0) : destinations_run(&c);
	}
	sources_fini(&c.ship.sources);
	destinations_fini(&c);
	vec_fini(&c.places);
	return status;
}
