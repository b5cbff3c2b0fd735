/* SPDX-License-Identifier: MIT */
/*
 * `waymark sync`: measures a guest's clock against its host's by round trips over a port, keeps the
 * measurements in a file, and sets the times of the guest's traces by them (recover/host_clock.h).
 * With --serve it is the host's side, which answers each request with its time of day:
 *
 *	guest: waymark-sync 1 NUMBER
 *	host:  waymark-sync 1 NUMBER NANOSECONDS-SINCE-1970 HOSTNAME
 *
 * Lines that are neither are skipped: the port may hold the rest of an earlier run.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/sync/port.h"
#include "cmd/waymark.h"
#include "read/reader.h"
#include "recover/host_clock.h"
#include "recover/recover.h"

#define NAME "waymark sync"
#define GREETING "waymark-sync 1 "

#define ROUNDS 100
#define ROUNDS_MAX 1000000
#define ANSWER_MS 2000

/* How long the host's side waits for QEMU to make the socket. */
#define SERVE_SECONDS 10

/* A time of day between 2001 and 2223, and any other number: beyond them is no measurement. */
#define HOST_NS_MIN UINT64_C(1000000000000000000)
#define HOST_NS_MAX UINT64_C(8000000000000000000)
#define ERROR_NS_MAX UINT64_C(1000000000000)

/* Sizes of the texts, with their NUL, and as scanf() wants them. */
#define NUMBER_FORM "%20[0-9]"
#define HOST_SIZE 65
#define HOST_FORM "%64[A-Za-z0-9._?-]"
#define BOOT_FORM "%36[0-9a-f-]"

enum { KEY_SERVE = ARGUMENT_LONG, KEY_ROUNDS };

static const struct argument rows[] = {
	{ 'p', "port", "PORT",
		"measure over PORT: a virtio-serial port, another serial\n"
		"line, or a UNIX socket" },
	{ 's', "samples", "FILE", "add the measurement to FILE, and use all that are in it" },
	{ KEY_ROUNDS, "rounds", "N", "make N round trips; the fastest counts (100)" },
	{ KEY_SERVE, "serve", "PORT",
		"on the host: answer requests that come from PORT, until\n"
		"the other side closes it" },
	{ 0 },
};

static const struct command command = {
	.name = NAME,
	.usage = "[-p PORT] [-s FILE] [--rounds N] [TRACE...] | --serve PORT",
	.about =
		"Sets the times of a guest's traces by the clock of its host, so that traces of both\n"
		"open as one: waymark print host.ctf guest.ctf. The guest measures its clock over a\n"
		"port to the host, best once before and once after it records. Each TRACE is recovered\n"
		"if its process was killed, and notes the largest error that its times can have.",
	.arguments = rows,
};

/* A line of the file of measurements. */
struct measurement {
	char boot_id[BOOT_ID_SIZE]; /* of the guest */
	char host[HOST_SIZE];
	struct host_sample sample;
};

struct sync {
	const char *port;
	const char *file;
	const char *serves;
	uint64_t rounds;
	VEC(struct measurement) all;
	VEC(struct host_sample) samples; /* of that boot and host */
};

static uint64_t time_of_day_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Applies one option; returns 0, or the result that ends the run. */
static int take(struct sync *s, int key)
{
	switch (key) {
	case 'p':
		s->port = optarg;
		return 0;
	case 's':
		s->file = optarg;
		return 0;
	case KEY_SERVE:
		s->serves = optarg;
		return 0;
	case KEY_ROUNDS:
		return arguments_number(optarg, ROUNDS_MAX, &s->rounds) && s->rounds > 0
			       ? 0
			       : arguments_bad(
					 &command, "'%s' is not a number of round trips", optarg);
	default:
		return key;
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct sync *s, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(s, key);

		if (failed) {
			return failed;
		}
	}
	if (s->serves && (s->port || s->file || optind < argc)) {
		return arguments_bad(&command, "--serve takes no other option and no TRACE");
	}
	if (!s->serves && !s->port && !(s->file && optind < argc)) {
		return arguments_bad(&command, "give -p PORT to measure, or -s FILE and a TRACE");
	}
	return 0;
}

static void fail_port(const char *port, int error, const char *silent)
{
	escaped_say(NAME, "%s: %s", port,
		error == ETIMEDOUT ? silent
		: error == EPIPE   ? "the other end is closed"
		: error == ENOTTY  ? "is neither a serial port nor a socket"
				   : strerror(error));
}

/* Sets this host's name, in characters that need no escape. */
static void get_host(char host[HOST_SIZE])
{
	gethostname(host, HOST_SIZE - 1);
	for (char *c = host; *c; c++) {
		if ((*c < '0' || *c > '9') && ((*c | 32) < 'a' || (*c | 32) > 'z') &&
			!strchr(".-_", *c)) {
			*c = '?';
		}
	}
	if (!*host) {
		strcpy(host, "?");
	}
}

/* Opens the port, which QEMU may be about to make. */
static int open_served(struct port *port, const char *path)
{
	uint64_t deadline = clock_now_ns() + SERVE_SECONDS * CLOCK_NS_PER_S;
	int error;

	while ((error = port_open(port, path)) && (error == ENOENT || error == ECONNREFUSED) &&
		clock_now_ns() < deadline) {
		port_close(port);
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	return error;
}

/* Returns what follows the greeting; NULL if the line has none. */
static const char *behind_greeting(const char *line)
{
	return strncmp(line, GREETING, strlen(GREETING)) == 0 ? line + strlen(GREETING) : NULL;
}

static int serve(const char *path)
{
	char host[HOST_SIZE] = "";
	char line[PORT_LINE_SIZE];
	struct port port;
	int error = open_served(&port, path);

	get_host(host);
	while (!error && !(error = port_receive(&port, line, -1))) {
		const char *text = behind_greeting(line);
		uint64_t number;

		if (text && arguments_number(text, UINT64_MAX, &number)) {
			snprintf(line, sizeof(line), GREETING "%" PRIu64 " %" PRIu64 " %s\n",
				number, time_of_day_ns(), host);
			error = port_send(&port, line);
		}
	}
	port_close(&port);
	if (error == EPIPE || error == ECONNRESET) {
		return EXIT_SUCCESS;
	}
	fail_port(path, error, "the guest does not read the answers");
	return EXIT_FAILURE;
}

static bool take_host_ns(const char *text, uint64_t *ns)
{
	return arguments_number(text, HOST_NS_MAX, ns) && *ns >= HOST_NS_MIN;
}

/* Reads an answer to the request of this number. */
static bool take_answer(const char *line, uint64_t number, struct measurement *m)
{
	const char *text = behind_greeting(line);
	char texts[2][21];
	uint64_t answered;
	int end = 0;

	return text &&
	       sscanf(text, NUMBER_FORM " " NUMBER_FORM " " HOST_FORM "%n", texts[0], texts[1],
		       m->host, &end) == 3 &&
	       !text[end] && arguments_number(texts[0], UINT64_MAX, &answered) &&
	       answered == number && take_host_ns(texts[1], &m->sample.host_ns);
}

/* Makes a round trip. Returns 0 or an errno. */
static int ask(struct port *port, uint64_t number, struct measurement *m)
{
	char line[PORT_LINE_SIZE];
	uint64_t begin = clock_now_ns();
	int error;

	snprintf(line, sizeof(line), GREETING "%" PRIu64 "\n", number);
	error = port_send(port, line);
	for (line[0] = '\0'; !error && !take_answer(line, number, m);) {
		int spent_ms = (int)((clock_now_ns() - begin) / 1000000);

		error = spent_ms < ANSWER_MS ? port_receive(port, line, ANSWER_MS - spent_ms)
					     : ETIMEDOUT;
	}
	uint64_t end = clock_now_ns();

	m->sample.error_ns = (end - begin + 1) / 2;
	m->sample.guest_ns = begin + (end - begin) / 2;
	return error;
}

/* Appends a line in one write, so that several commands can share the file. */
static bool append(const char *path, const struct measurement *m)
{
	FILE *f = fopen(path, "ae");
	bool ok = f &&
		  fprintf(f, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", m->boot_id,
			  m->sample.guest_ns, m->sample.host_ns, m->sample.error_ns, m->host) > 0;

	ok = (!f || fclose(f) == 0) && ok;
	if (!ok) {
		escaped_say(NAME, "%s: cannot be written: %s", path, strerror(errno));
	}
	return ok;
}

static bool measure(struct sync *s)
{
	struct measurement best = { .sample.error_ns = UINT64_MAX };
	struct port port;
	uint64_t first = time_of_day_ns(); /* other numbers than those of an earlier run */
	int error = port_open(&port, s->port);

	for (uint64_t i = 0; i < s->rounds && !error; i++) {
		struct measurement m = { 0 };

		error = ask(&port, first + i, &m);
		if (!error && m.sample.error_ns < best.sample.error_ns) {
			best = m;
		}
	}
	port_close(&port);
	if (error) {
		fail_port(s->port, error,
			"no answer: start waymark sync --serve on the host, with the port's other "
			"end");
		return false;
	}
	if (!host_boot_id(best.boot_id)) {
		escaped_say(NAME, "/proc/sys/kernel/random/boot_id: cannot be read");
		return false;
	}
	vec_push(&s->all, best);
	printf("clock of %s, to within %.1f us, by %" PRIu64 " round trips\n", best.host,
		(double)best.sample.error_ns / 1e3, s->rounds);
	return !s->file || append(s->file, &best);
}

static bool take_measurement(const char *line, struct measurement *m)
{
	struct host_sample *s = &m->sample;
	char texts[3][21];
	int end = 0;

	return sscanf(line,
		       BOOT_FORM " " NUMBER_FORM " " NUMBER_FORM " " NUMBER_FORM " " HOST_FORM "%n",
		       m->boot_id, texts[0], texts[1], texts[2], m->host, &end) == 5 &&
	       strcmp(line + end, "\n") == 0 &&
	       arguments_number(texts[0], HOST_NS_MAX, &s->guest_ns) &&
	       take_host_ns(texts[1], &s->host_ns) &&
	       arguments_number(texts[2], ERROR_NS_MAX, &s->error_ns);
}

/* Reads the file of measurements; before the first one there is none. */
static bool load(struct sync *s, bool must_exist)
{
	FILE *f = fopen(s->file, "re");
	char line[PORT_LINE_SIZE];

	if (!f) {
		if (errno == ENOENT && !must_exist) {
			return true;
		}
		escaped_say(NAME, "%s: cannot be opened: %s", s->file, strerror(errno));
		return false;
	}
	bool ok = true;

	for (unsigned int number = 1; ok && fgets(line, sizeof(line), f); number++) {
		struct measurement m;

		ok = take_measurement(line, &m);
		if (ok) {
			vec_push(&s->all, m);
		} else {
			escaped_say(
				NAME, "%s:%u: is no measurement: remove the line", s->file, number);
		}
	}
	fclose(f);
	return ok;
}

/*
 * Chooses the measurements of the trace's boot, by the host of the last one. Returns that one, or
 * NULL if there are none.
 */
static const struct measurement *choose(struct sync *s, const char *boot_id)
{
	const struct measurement *last = NULL;

	vec_foreach (const struct measurement *, m, &s->all) {
		last = strcmp(m->boot_id, boot_id) == 0 ? m : last;
	}
	s->samples.count = 0;
	vec_foreach (const struct measurement *, m, &s->all) {
		if (last && strcmp(m->boot_id, boot_id) == 0 && strcmp(m->host, last->host) == 0) {
			vec_push(&s->samples, m->sample);
		}
	}
	return last;
}

static bool set_by(const struct host_clock *clock, const char *path)
{
	struct recover_result result;
	uint64_t error_ns;

	if (!recover_by_host(path, clock, &error_ns, &result)) {
		escaped_say(NAME, "%s: %s", path, result.error);
		return false;
	}
	escaped_printf(stdout, "%s: clock of %s, to within %.1f us", path, clock->host,
		(double)error_ns / 1e3);
	putchar('\n');
	if (result.kept_for[0]) {
		escaped_say(NAME,
			"%s: is a copy of %s: the memory of its process is kept for the original",
			path, result.kept_for);
	}
	if (result.fault[0]) {
		escaped_say(NAME, "%s: %s", path, result.fault);
	}
	return true;
}

static bool set_trace(struct sync *s, const char *path)
{
	const struct reader_options options = { 0 };
	struct read_error error;
	struct reader *r = reader_open(path, &options, &error);

	if (!r) {
		escaped_say(NAME, "%s: %s", path, error.text);
		return false;
	}
	const char *boot_id = r->traces[0].boot_id;
	const struct measurement *last = choose(s, boot_id ? boot_id : "");
	bool ok = false;

	if (last) {
		struct host_clock clock = {
			.samples = s->samples.items,
			.count = s->samples.count,
			.host = last->host,
			.boot_id = last->boot_id,
		};

		host_clock_fit(&clock);
		ok = set_by(&clock, path);
	} else {
		escaped_say(NAME, "%s: was not recorded in a boot in which the clock was measured",
			path);
	}
	reader_close(r);
	return ok;
}

int waymark_sync(int argc, char **argv)
{
	struct sync s = { .rounds = ROUNDS };
	int failed = parse(&s, argc, argv);

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (s.serves) {
		return serve(s.serves);
	}
	int status = EXIT_FAILURE;

	if ((!s.file || load(&s, !s.port)) && (!s.port || measure(&s))) {
		status = EXIT_SUCCESS;
		for (int i = optind; i < argc; i++) {
			status |= !set_trace(&s, argv[i]);
		}
	}
	vec_fini(&s.all);
	vec_fini(&s.samples);
	return arguments_finish(NAME, status);
}
