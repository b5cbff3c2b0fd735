/* SPDX-License-Identifier: MIT */
/* `waymark metrics`: the numbers of running processes for Prometheus, once or at a port. */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/metrics/metrics.h"
#include "cmd/metrics/scrape.h"
#include "cmd/waymark.h"
#include "recover/leftover.h"

enum { KEY_LISTEN = ARGUMENT_LONG };

static const struct argument rows[] = {
	{ KEY_LISTEN, "listen", "[ADDRESS:]PORT",
		"answer scrapes of /metrics until a signal; without ADDRESS only of this host" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark metrics",
	.usage = "[--listen=[ADDRESS:]PORT]",
	.about =
		"Prints, in the text format of Prometheus, what the traced processes of this user,\n"
		"for root of all users, have counted: events, losses, memory, and what 'aggregate'\n"
		"in their rules adds up. It reads memory only.",
	.arguments = rows,
};

static void put(void *unused, struct out *out)
{
	(void)unused;
	metrics_put(out);
}

/* Answers scrapes until a signal. */
static int serve(const char *place)
{
	char error[512];
	sigset_t ends;
	int number;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	struct scrape *s = scrape_begin(place, put, NULL, error, sizeof(error));

	if (!s) {
		escaped_say(command.name, "%s", error);
		return EXIT_FAILURE;
	}
	sigwait(&ends, &number);
	scrape_end(s);
	return EXIT_SUCCESS;
}

static int print(void)
{
	struct out out;

	out_init(&out, STDOUT_FILENO);
	metrics_put(&out);
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
	int key;

	while ((key = arguments_next(&command, argc, argv)) == KEY_LISTEN) {
		place = optarg;
	}
	if (key == ARGUMENTS_END && argc > optind) {
		key = arguments_bad(&command, "it takes no '%s'", argv[optind]);
	}
	if (key != ARGUMENTS_END) {
		return key == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	leftover_survive_cuts();
	return place ? serve(place) : print();
}
