/* SPDX-License-Identifier: MIT */
/* `waymark metrics`: the numbers of running processes for Prometheus, once or at a port. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/metrics/latencies.h"
#include "cmd/metrics/metrics.h"
#include "cmd/metrics/scrape.h"
#include "cmd/serve.h"
#include "cmd/waymark.h"
#include "recover/leftover.h"

enum { KEY_LISTEN = ARGUMENT_LONG, KEY_LATENCIES };

static const struct argument rows[] = {
	{ KEY_LISTEN, "listen", "[ADDRESS:]PORT",
		"answer scrapes of /metrics until a signal; without ADDRESS only of this host" },
	{ KEY_LATENCIES, "latencies", NULL,
		"also times of scopes and declared lives: reads the traces' events" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark metrics",
	.usage = "[--listen=[ADDRESS:]PORT] [--latencies]",
	.about =
		"Prints, in the text format of Prometheus, what the traced processes of this user,\n"
		"for root of all users, have counted: events, losses, memory, and what 'aggregate'\n"
		"in their rules adds up. It reads memory only, but for --latencies.",
	.arguments = rows,
};

static void put(void *latencies, struct out *out)
{
	metrics_put(out);
	latencies_put(latencies, out);
}

/* Answers scrapes until a signal. */
static int serve(const char *place, bool has_latencies)
{
	char error[512];
	int ends = serve_catch_signals(0);
	struct signalfd_siginfo signal;
	struct latencies *l = has_latencies ? latencies_follow(command.name) : NULL;
	bool is_ready = l || !has_latencies;
	struct scrape *s = is_ready ? scrape_begin(place, put, l, error, sizeof(error)) : NULL;

	if (s) {
		(void)!read(ends, &signal, sizeof(signal));
	} else if (is_ready) {
		escaped_say(command.name, "%s", error);
	}
	scrape_end(s);
	latencies_end(l);
	close(ends);
	return s ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int print(bool has_latencies)
{
	struct latencies *l = has_latencies ? latencies_read(command.name) : NULL;
	struct out out;

	out_init(&out, STDOUT_FILENO);
	put(l, &out);
	latencies_end(l);
	int error = out_flush(&out);

	out_fini(&out);
	if (error) {
		escaped_say(command.name, "standard output: %s", strerror(error));
	}
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

int waymark_metrics(int argc, char **argv)
{
	const char *place = NULL;
	bool has_latencies = false;
	int key;

	while ((key = arguments_next(&command, argc, argv)) >= KEY_LISTEN) {
		place = key == KEY_LISTEN ? optarg : place;
		has_latencies |= key == KEY_LATENCIES;
	}
	if (key == ARGUMENTS_END && argc > optind) {
		key = arguments_bad(&command, "it takes no '%s'", argv[optind]);
	}
	if (key != ARGUMENTS_END) {
		return key == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	leftover_survive_cuts();
	return place ? serve(place, has_latencies) : print(has_latencies);
}
