/* SPDX-License-Identifier: MIT */
/* `waymark relay`: serves traces to viewers of LTTng's live protocol, until a signal. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/serve.h"
#include "cmd/tcp.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/waymark.h"
#include "recover/leftover.h"
#include "relay/feed.h"
#include "relay/hosts.h"
#include "relay/relay.h"

#define NAME "waymark relay"
#define DELAY_MS 500
#define NS_PER_MS 1000000

enum { KEY_LISTEN = ARGUMENT_LONG, KEY_WHOLE, KEY_DELAY, KEY_HOST };

static const struct argument rows[] = {
	{ KEY_LISTEN, "listen", "[ADDRESS:]PORT",
		"where viewers connect; " LIVE_PORT " of this host if not given" },
	{ KEY_WHOLE, "whole", NULL, "show traces from their begin, not from now" },
	{ KEY_DELAY, "delay", "SECONDS", "show an event so long after its time; 0.5 if not given" },
	{ KEY_HOST, "host", "HOST[:PORT]",
		"also the sessions of the relay that runs there; may be repeated" },
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage =
		"[--listen=[ADDRESS:]PORT] [--whole] [--delay=SECONDS] [--host=HOST[:PORT]] [TRACE...]",
	.about =
		"Shows the running processes of this user, for root of all users, or TRACEs to\n"
		"viewers of LTTng's live protocol. They find a session for each trace, and one,\n"
		"'" RELAY_ALL_NAME "', for all, also of processes that start later:\n"
		"\n"
		"  babeltrace2 --input-format=lttng-live net://localhost\n"
		"  babeltrace2 --input-format=lttng-live net://localhost/host/HOST/" RELAY_ALL_NAME,
	.arguments = rows,
};

static void report(const char *text)
{
	escaped_say(NAME, "%s", text);
}

/* The session of all traces has a name that none of them may have. */
static bool check_names(const struct relay_options *options)
{
	struct relay_traces traces;
	bool ok = true;

	if (options->path_count > 0) {
		relay_traces_list(&traces, options);
		vec_foreach (const struct relay_trace *, t, &traces.all) {
			ok &= strcmp(t->name, RELAY_ALL_NAME) != 0;
		}
		relay_traces_fini(&traces);
	}
	if (!ok) {
		report("a trace cannot be named '" RELAY_ALL_NAME "': rename it");
	}
	return ok;
}

/* Opens each given trace once, so that a wrong one is reported before a viewer comes. */
static bool check_traces(const struct relay_options *options)
{
	for (size_t i = 0; i < options->path_count; i++) {
		struct feed_options feeds = { .report = report };
		struct read_error error;
		struct feed *f = feed_open(options->paths[i], &feeds, false, &error);

		if (!f) {
			escaped_say(NAME, "%s: %s", options->paths[i], error.text);
			return false;
		}
		feed_close(f);
	}
	return check_names(options);
}

static int run(const struct relay_options *options, const char *place)
{
	char error[512];

	leftover_survive_cuts();
	serve_raise_descriptors();
	if (!check_traces(options)) {
		return EXIT_FAILURE;
	}
	int end_fd = serve_catch_signals(0);

	int listener = tcp_listen(place, error, sizeof(error));

	if (listener < 0) {
		report(error);
		return EXIT_FAILURE;
	}
	relay_run(options, listener, end_fd);
	close(listener);
	close(end_fd);
	return EXIT_SUCCESS;
}

struct relay_command {
	struct relay_options options;
	VEC(char *) hosts;
	const char *place;
	int delay_ms;
};

static int take(struct relay_command *c, int key)
{
	switch (key) {
	case KEY_LISTEN:
		c->place = optarg;
		return 0;
	case KEY_WHOLE:
		c->options.is_whole = true;
		return 0;
	case KEY_DELAY:
		return arguments_milliseconds(&command, optarg, &c->delay_ms);
	case KEY_HOST:
		vec_push(&c->hosts, optarg);
		return hosts_check(optarg)
			       ? 0
			       : arguments_bad(&command, "--host: '%s' is no HOST[:PORT]", optarg);
	default:
		return key;
	}
}

int waymark_relay(int argc, char **argv)
{
	struct relay_command c = {
		.options.report = report, .place = LIVE_PORT, .delay_ms = DELAY_MS
	};
	int key;
	int failed = 0;

	while (!failed && (key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		failed = take(&c, key);
	}
	c.options.delay_ns = (int64_t)c.delay_ms * NS_PER_MS;
	c.options.paths = argv + optind;
	c.options.path_count = (size_t)(argc - optind);
	c.options.hosts = c.hosts.items;
	c.options.host_count = c.hosts.count;
	int status = failed == ARGUMENTS_DONE ? EXIT_SUCCESS
		     : failed		      ? WAYMARK_USAGE
					      : run(&c.options, c.place);

	vec_fini(&c.hosts);
	return status;
}
