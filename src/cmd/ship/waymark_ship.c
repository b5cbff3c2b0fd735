/* SPDX-License-Identifier: MIT */
/*
 * `waymark ship`: sends the events of this host's traced processes to an engine that has those of
 * all hosts. The place in each trace survives kills, in a folder.
 */
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/metrics/metrics.h"
#include "cmd/metrics/scrape.h"
#include "cmd/waymark.h"
#include "recover/leftover.h"
#include "ship/ship.h"

#define NAME "waymark ship"
#define INTERVAL_MS 1000
#define SPOOL_BYTES ((uint64_t)256 << 20)
#define END_NS (5 * CLOCK_NS_PER_S) /* for what is left in the spool when a signal has come */

enum {
	KEY_TO = ARGUMENT_LONG,
	KEY_STATE,
	KEY_TRACES,
	KEY_SPOOL,
	KEY_INTERVAL,
	KEY_ONCE,
	KEY_CA,
	KEY_METRICS
};

static const struct argument rows[] = {
	{ KEY_TO, "to", "PLACE",
		"clickhouse://[USER@]HOST[:PORT][,HOST...]/DATABASE, or clickhouses:// with TLS" },
	{ KEY_TRACES, "traces", "DIR",
		"also the traces in this folder, and new ones; may be repeated" },
	{ KEY_ONCE, "once", NULL, "end when everything that is there now is sent" },
	{ KEY_STATE, "state", "DIR",
		"remember here what was sent (default: a folder of the user)" },
	{ KEY_SPOOL, "spool", "BYTES", "keep so much while no server answers (default 256M)" },
	{ KEY_INTERVAL, "interval", "SECONDS", "send at least so often (default 1)" },
	{ KEY_METRICS, "metrics", "[ADDRESS:]PORT",
		"answer scrapes of Prometheus, as 'waymark metrics --listen' does" },
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

static void report(const char *text)
{
	escaped_say(NAME, "%s", text);
}

struct ship_command {
	struct ship ship;
	const char *to;
	const char *state;
	const char *authority;
	const char *metrics; /* where to answer scrapes; NULL: nowhere */
	char path[4096]; /* of the default of `state` */
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
		if (c->to) {
			return arguments_bad(&command, "--to is given twice");
		}
		c->to = optarg;
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

static int parse(struct ship_command *c, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(c, key);

		if (failed) {
			return failed;
		}
	}
	c->to = c->to ? c->to : getenv("WAYMARK_SHIP_TO");
	if (!c->to) {
		return arguments_bad(&command, "--to=PLACE is missing");
	}
	for (int i = optind; i < argc; i++) {
		sources_add(&c->ship.sources, argv[i])->is_given = true;
	}
	c->ship.sources.has_processes = argc == optind;
	return set_state(c);
}

/* ---- The run ---- */

/* Returns the number of this shipper, made when it first runs. */
static uint32_t number_of(const json_t *positions)
{
	const json_t *known = json_object_get(positions, "shipper");
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	uint64_t mixed = ((uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec) ^
			 (uint64_t)getpid() << 40;

	mixed *= UINT64_C(0x9e3779b97f4a7c15);
	return json_is_integer(known) ? (uint32_t)json_integer_value(known)
				      : (uint32_t)(mixed >> 32);
}

/* Opens the folder, and takes what a former run left there. */
static bool open_state(struct ship_command *c)
{
	struct ship *s = &c->ship;
	json_t *positions = spool_open(&s->spool, c->state);

	s->spool.servers = s->servers.all.items;
	s->spool.server_count = s->servers.all.count;
	if (!positions) {
		report(s->spool.error);
		return false;
	}
	s->sender.shipper = number_of(positions);
	sources_load(&s->sources, json_object_get(positions, "traces"));
	json_decref(positions);
	return true;
}

/*
 * Checks all servers: a wrong name, password or table is reported before anything is read. A server
 * that is down may come back, unless the run ends by itself.
 */
static bool check_servers(struct ship_command *c)
{
	struct servers *servers = &c->ship.servers;

	if (!servers_init(servers, c->to)) {
		report(servers->error);
		return false;
	}
	servers->authority = c->authority;
	enum server_result result = sender_check(servers);

	if (result != SERVER_DONE) {
		report(servers->error);
	}
	c->ship.sender.is_checked = result == SERVER_DONE;
	return result == SERVER_DONE || (result == SERVER_UNREACHED && !c->ship.options.is_once);
}

/* Gives the sender a little time for what is left, after a signal. */
static void finish(struct ship *s)
{
	const struct timespec slice = { 0, 20000000 };
	uint64_t begun = clock_now_ns();

	while (!spool_is_empty(&s->spool) && clock_now_ns() - begun < END_NS &&
		__atomic_load_n(&s->sender.failures, __ATOMIC_RELAXED) == 0) {
		nanosleep(&slice, NULL);
	}
	sender_end(&s->sender);
}

static void put_row(
	struct out *out, const char *name, const char *type, const char *help, uint64_t value)
{
	out_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", name, help, name, type,
		name, value);
}

/* Writes the metrics of the processes, and the shipper's own. */
static void put_metrics(void *ship, struct out *out)
{
	struct ship *s = ship;

	metrics_put(out);
	put_row(out, "waymark_ship_rows_total", "counter", "rows that servers have confirmed",
		__atomic_load_n(&s->sender.sent_rows, __ATOMIC_RELAXED));
	put_row(out, "waymark_ship_bytes_total", "counter", "compressed bytes of these",
		__atomic_load_n(&s->sender.sent_bytes, __ATOMIC_RELAXED));
	put_row(out, "waymark_ship_spool_bytes", "gauge", "bytes of batches that wait",
		spool_bytes(&s->spool));
	put_row(out, "waymark_ship_failures", "gauge", "requests in a row that failed",
		__atomic_load_n(&s->sender.failures, __ATOMIC_RELAXED));
}

/* Runs until a signal, and answers scrapes meanwhile. */
static bool run_ship(struct ship_command *c)
{
	struct ship *s = &c->ship;
	struct scrape *scrape = NULL;
	char error[512];

	if (c->metrics) {
		scrape = scrape_begin(c->metrics, put_metrics, s, error, sizeof(error));
	}
	if (c->metrics && !scrape) {
		report(error);
	}
	bool ok = (scrape || !c->metrics) && ship_run(s);

	finish(s);
	scrape_end(scrape);
	return ok;
}

static int summarize(const struct ship_command *c, bool ok)
{
	const struct ship *s = &c->ship;
	uint64_t left = s->spool.next - s->spool.first;

	if (*s->spool.error) {
		report(s->spool.error);
	}
	escaped_say(NAME, "%" PRIu64 " rows sent%s", s->sender.sent_rows,
		s->problems ? "; parts of traces could not be read" : "");
	if (left > 0) {
		escaped_say(
			NAME, "%" PRIu64 " batches wait in %s for the next run", left, c->state);
	}
	return ok && s->problems == 0 && (left == 0 || !s->options.is_once) ? EXIT_SUCCESS
									    : EXIT_FAILURE;
}

/* Each trace needs descriptors while it is followed. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* Returns a descriptor that can be read when a signal has come to end the run. */
static int catch_signals(void)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	return signalfd(-1, &ends, SFD_CLOEXEC);
}

static int run(struct ship_command *c)
{
	struct ship *s = &c->ship;

	if (!check_servers(c) || !open_state(c)) {
		return EXIT_FAILURE;
	}
	leftover_survive_cuts();
	s->options.end_fd = catch_signals();
	raise_descriptors();
	s->servers.is_ended = &s->sender.is_ended;
	s->sources.report = s->sender.report = report;
	s->sender.spool = &s->spool;
	s->sender.servers = &s->servers;
	if (!sender_start(&s->sender)) {
		report("there is no thread for sending");
		return EXIT_FAILURE;
	}
	return summarize(c, run_ship(c));
}

int waymark_ship(int argc, char **argv)
{
	struct ship_command c = {
		.ship.options = { .spool_bytes = SPOOL_BYTES, .interval_ms = INTERVAL_MS },
	};

	sources_init(&c.ship.sources);
	batch_init(&c.ship.batch);
	int failed = parse(&c, argc, argv);
	int status = failed ? WAYMARK_USAGE : run(&c);

	sources_fini(&c.ship.sources);
	batch_fini(&c.ship.batch);
	servers_fini(&c.ship.servers);
	spool_close(&c.ship.spool);
	return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : status;
}
