/* SPDX-License-Identifier: MIT */
/*
 * `waymark view`: shows traces as a timeline in the browser. This file has the command line; it
 * waits for a signal, or until nobody looked at the page for an hour.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "cmd/arguments.h"
#include "base/memory.h"
#include "cmd/selection.h"
#include "cmd/top/top.h"
#include "cmd/view/answer/answers.h"
#include "cmd/view/save.h"
#include "cmd/view/view.h"
#include "cmd/waymark.h"
#include "output/output.h"

#define IDLE_SECONDS 3600
#define POLL_MS 1000

/* Blocks of this size are not of a heap; heaps of all threads. */
#define BLOCK_BYTES (256 << 10)
#define HEAPS_MAX 2

/* The default width of a picture, in pixels; it is as high as its tracks. */
#define WIDTH 1200
#define SIDE_MAX 16384

enum {
	KEY_PORT = ARGUMENT_LONG,
	KEY_LISTEN,
	KEY_NO_OPEN,
	KEY_STAY,
	KEY_NO_CACHE,
	KEY_PNG,
	KEY_TRACKS,
	KEY_SIZE,
	KEY_REPLACE,
	KEY_FROM,
	KEY_TO,
	KEY_COUNTER,
	KEY_ACROSS,
	KEY_KERNEL,
	KEY_OFFSET,
};

static const struct argument rows[] = {
	{ 'f', "follow", NULL, "go on with what is recorded; a process is always followed" },
	{ 'e', "declarations", "FILE", "read the events' declarations, for old traces" },
	{ KEY_PORT, "port", "NUMBER", "serve on this port; without it on any free one" },
	{ KEY_LISTEN, "listen", "unix:PATH", "serve on a socket, for ssh -L PORT:PATH" },
	{ KEY_NO_OPEN, "no-open", NULL, "print the address, do not open the browser" },
	{ KEY_STAY, "stay", NULL, "do not end when nobody looked at the page for an hour" },
	{ KEY_NO_CACHE, "no-cache", NULL,
		"read all of the traces, keep nothing for the next time" },
	{ 'o', "output", "FILE", "write the page with its data to FILE, do not serve" },
	{ KEY_PNG, "png", "FILE", "draw a picture with Chromium, do not serve" },
	{ KEY_FROM, "from", "TIME", "of file or picture: SEC[.FRACTION], +SEC from the start" },
	{ KEY_TO, "to", "TIME", "the end of its time" },
	{ KEY_TRACKS, "tracks", "LIST", "show only tracks of these names or globs, with commas" },
	{ KEY_SIZE, "size", "W[xH]", "size of the picture; default: 1200, as high as its tracks" },
	{ KEY_REPLACE, "replace", NULL, "replace FILE if it exists" },
	{ KEY_COUNTER, "counter", "EVENT.FIELD", "draw a field as a curve; may be repeated" },
	{ KEY_ACROSS, "across", NULL, "an object may be of several processes and traces" },
	{ KEY_KERNEL, "kernel", "FILE", "add who ran when, from a capture of the kernel's trace" },
	{ KEY_OFFSET, "kernel-offset", "SECONDS", "add this to the kernel's times" },
	SELECTION_ROWS,
	{ 0 },
};

static const struct command command = {
	.name = VIEW_NAME,
	.usage = "[OPTION...] TRACE... | PID | NAME",
	.about =
		"Shows traces of any size as a timeline in the browser: threads with their scopes and\n"
		"events, lanes of asynchronous scopes, and where events were lost. It serves only this\n"
		"user, on 127.0.0.1, until Ctrl-C or until nobody looked at the page for an hour. Over ssh,\n"
		"forward a port or socket and open the address that it prints. With -o it writes one\n"
		"file that shows up to some 500 000 events without a server; with --png, a picture.\n"
		"A PID or the name of a program shows a running process, whose events are switched from\n"
		"the page.",
	.arguments = rows,
};

struct options {
	struct view_place place;
	const char *page; /* a file to write; NULL: none */
	const char *png;
	struct filter_time from; /* of what is shown */
	struct filter_time to;
	struct kept tracks;
	unsigned int width;
	unsigned int height; /* 0: as high as the tracks are */
	bool replaces;
	bool without_browser;
	bool stays;
	bool follows;
	bool is_across;
	char *process; /* the trace of a process that the user named */
	bool without_cache;
	struct out selection; /* text of the options that select records */
	struct timeline_counters counters;
	const char *kernel; /* a capture; NULL: one of the traces, if any */
	struct filter_time offset; /* of its times */
};

static int take_time(struct filter_time *time)
{
	return filter_parse_time(time, optarg)
		       ? 0
		       : arguments_bad(
				 &command, "'%s' is no time: SEC[.FRACTION], or +SEC", optarg);
}

static int take_size(struct options *o)
{
	char *text = xstrdup(optarg);
	char *height = strchr(text, 'x');
	uint64_t sides[2] = { 0 };

	if (height) {
		*height++ = '\0';
	}
	bool ok = arguments_number(text, SIDE_MAX, &sides[0]) && sides[0] > 0 &&
		  (!height || (arguments_number(height, SIDE_MAX, &sides[1]) && sides[1] > 0));

	free(text);
	if (!ok) {
		return arguments_bad(&command,
			"--size takes WIDTH or WIDTHxHEIGHT, at most %d, not '%s'", SIDE_MAX,
			optarg);
	}
	o->width = (unsigned int)sides[0];
	o->height = (unsigned int)sides[1];
	return 0;
}

static int take_tracks(struct options *o)
{
	char why[256];

	return kept_read(&o->tracks, optarg, why, sizeof(why))
		       ? 0
		       : arguments_bad(&command, "--tracks: %s", why);
}

/* Takes an option of a file instead of a server; returns `key` if it is none. */
static int take_saving(struct options *o, int key)
{
	switch (key) {
	case 'o':
		o->page = optarg;
		return 0;
	case KEY_PNG:
		o->png = optarg;
		return 0;
	case KEY_FROM:
		return take_time(&o->from);
	case KEY_TO:
		return take_time(&o->to);
	case KEY_TRACKS:
		return take_tracks(o);
	case KEY_SIZE:
		return take_size(o);
	case KEY_REPLACE:
		o->replaces = true;
		return 0;
	default:
		return key;
	}
}

static int add_counter(struct session *s, struct options *o)
{
	struct timeline_counter counter = { 0 };
	int failed = selection_take_counter(s, &command, &counter.event, &counter.field);

	if (!failed) {
		vec_push(&o->counters.all, counter);
	}
	return failed;
}

static int take(struct session *s, struct options *o, int key)
{
	uint64_t port;

	switch (key) {
	case 'e':
		return session_declare(s, optarg) ? 0 : ARGUMENTS_BAD;
	case 'f':
		o->follows = true;
		return 0;
	case KEY_PORT:
		if (!arguments_number(optarg, UINT16_MAX, &port)) {
			return arguments_bad(&command, "'%s' is not a port", optarg);
		}
		o->place.port = (uint16_t)port;
		return 0;
	case KEY_LISTEN:
		if (strncmp(optarg, "unix:", 5) != 0 || !optarg[5]) {
			return arguments_bad(
				&command, "--listen takes unix:PATH, not '%s'", optarg);
		}
		o->place.socket = optarg + 5;
		return 0;
	case KEY_NO_OPEN:
		o->without_browser = true;
		return 0;
	case KEY_COUNTER:
		return add_counter(s, o);
	case KEY_ACROSS:
		o->is_across = true;
		return 0;
	case KEY_KERNEL:
		o->kernel = optarg;
		return 0;
	case KEY_OFFSET:
		return take_time(&o->offset);
	case KEY_STAY:
		o->stays = true;
		return 0;
	case KEY_NO_CACHE:
		o->without_cache = true;
		return 0;
	default:
		if (selection_has(key)) {
			out_printf(&o->selection, " %d %zu:%s", key, strlen(optarg), optarg);
			return selection_take(s, &command, key);
		}
		return take_saving(o, key);
	}
}

/* Returns the argument of viewer_begin(). */
static const char *cached(const struct options *o)
{
	return o->without_cache ? NULL : o->selection.data;
}

/* Checks that the options fit together; returns 0, or ARGUMENTS_BAD. */
static int check(const struct options *o)
{
	bool saves = o->page || o->png;

	if (o->page && o->png) {
		return arguments_bad(&command, "-o and --png are two outputs");
	}
	if (o->place.port && o->place.socket) {
		return arguments_bad(&command, "--port and --listen are two places");
	}
	if (saves && o->follows) {
		return arguments_bad(&command, "with -o or --png nothing is followed");
	}
	if (saves && (o->place.port || o->place.socket || o->stays || o->without_browser)) {
		return arguments_bad(&command, "with -o or --png nothing is served");
	}
	if (o->offset.set && !o->kernel) {
		return arguments_bad(&command, "--kernel-offset needs --kernel");
	}
	if (!saves && (o->from.set || o->to.set)) {
		return arguments_bad(&command, "--from and --to need -o or --png; the page zooms");
	}
	if (!saves && o->tracks.list) {
		return arguments_bad(&command, "--tracks needs -o or --png; the page hides tracks");
	}
	return 0;
}

static int parse(struct session *s, struct options *o, int argc, char **argv)
{
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		int failed = take(s, o, key);

		if (failed) {
			return failed;
		}
	}
	out_char(&o->selection, '\0');
	int bad = check(o);

	if (bad) {
		return bad;
	}
	for (int i = optind; i < argc; i++) {
		if (strcmp(argv[i], "-") == 0) {
			return arguments_bad(&command,
				"standard input cannot be shown: parts of a trace are read again");
		}
	}
	return argc > optind ? 0 : arguments_bad(&command, "the trace is missing");
}

/* Opens the address in the user's browser, if there is one. */
static void open_browser(char *address)
{
	char program[] = "xdg-open";
	char *const arguments[] = { program, address, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) {
		return;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	if (posix_spawnp(&pid, program, &actions, NULL, arguments, environ) == 0) {
		waitpid(pid, NULL, 0);
	}
	posix_spawn_file_actions_destroy(&actions);
}

/* Waits for a signal, or until the page was not used for long. */
static void wait_for_end(struct view_server *server, const struct options *o, int signals)
{
	struct pollfd p = { .fd = signals, .events = POLLIN };

	while (poll(&p, 1, POLL_MS) <= 0) {
		if (!o->stays && view_idle(server) > IDLE_SECONDS) {
			return;
		}
	}
}

/* ---- A file instead of a server ---- */

/* Returns the time to show: that of the options within that of the traces; false: it is empty. */
static bool find_part(const struct levels *l, const struct options *o, struct save_part *part)
{
	int64_t from = o->from.ns + (o->from.relative ? l->first_ns : 0);
	int64_t to = o->to.ns + (o->to.relative ? l->first_ns : 0);

	*part = (struct save_part){ l->first_ns, l->last_ns, &o->tracks };
	if (o->from.set && from > part->from_ns) {
		part->from_ns = from;
	}
	if (o->to.set && to < part->to_ns) {
		part->to_ns = to;
	}
	return part->from_ns <= part->to_ns;
}

/* Makes the page; false, reported, if that fails. */
static bool make_page(struct viewer *v, struct options *o, struct out *page)
{
	struct save_part part;

	viewer_wait(v);
	if (!find_part(&v->levels, o, &part)) {
		session_say(v->session, "--from and --to leave nothing of the traces' time");
		return false;
	}
	if (!kept_find(&o->tracks, v)) {
		return false;
	}
	enum save_result result = save_page(v, &part, !o->png, page);

	if (result == SAVE_TOO_MUCH) {
		session_say(v->session,
			"a page holds some 500 000 events: choose a time by --from and --to, or serve "
			"the traces without -o");
	} else if (result == SAVE_FAILED) {
		session_say(v->session, "the traces cannot be read again");
	}
	return result == SAVE_DONE;
}

/* Writes the page, or a picture of it, into the new output. */
static bool write_output(struct session *s, struct options *o, struct output *file)
{
	struct out page;
	struct viewer v;

	if (!viewer_begin(&v, s, cached(o))) {
		return false;
	}
	v.counters = o->counters;
	v.is_across = o->is_across;
	out_init(&page, o->png ? OUT_TO_MEMORY : file->fd);
	bool ok = view_sched_begin(&v, o->kernel, o->offset.ns) && make_page(&v, o, &page);

	if (ok && o->png) {
		ok = save_picture(s, &(struct save_picture){ .page = &page,
					     .fd = file->fd,
					     .width = o->width,
					     .height = o->height });
	} else if (ok && out_flush(&page) != 0) {
		session_say(s, "%s: cannot write: %s", o->page, strerror(page.error));
		ok = false;
	}
	if (ok && v.problems > 0) {
		session_say(s, "%s", v.problem);
	}
	s->problems += v.problems;
	out_fini(&page);
	view_curves_end(&v);
	view_lives_end(&v);
	view_sched_end(&v);
	viewer_end(&v);
	return ok;
}

static bool save(struct session *s, struct options *o)
{
	const char *path = o->png ? o->png : o->page;
	struct output file = { 0 };
	bool ok = session_may_write(s, path);

	if (ok && !output_begin(&file, path, false, o->replaces)) {
		session_say(s, "%s: %s", path, file.error);
		return false;
	}
	ok = ok && write_output(s, o, &file);
	if (ok && !output_commit(&file)) {
		session_say(s, "%s: %s", path, file.error);
		ok = false;
	}
	output_fini(&file);
	return ok;
}

/* ---- The server ---- */

static bool serve(struct session *s, const struct options *o, int signals)
{
	char token[VIEW_SECRET_DIGITS + 1];
	char address[128];
	struct viewer v;

	if (!view_make_secret(token)) {
		session_say(s, "no random bytes: %s", strerror(errno));
		return false;
	}
	if (!viewer_begin(&v, s, cached(o))) {
		return false;
	}
	v.counters = o->counters;
	v.is_across = o->is_across;
	bool ok = view_sched_begin(&v, o->kernel, o->offset.ns);
	struct view_server *server = ok ? view_serve(&v, &o->place, token) : NULL;

	if (server) {
		if (o->place.socket) {
			printf("forward it: ssh -L 8080:%s HOST\n", view_socket(server));
		}
		snprintf(address, sizeof(address), "http://127.0.0.1:%u/?token=%s",
			o->place.socket ? 8080 : view_port(server), token);
		printf("%s\n", address);
		fflush(stdout);
		if (!o->without_browser && !o->place.socket) {
			open_browser(address);
		}
		wait_for_end(server, o, signals);
		view_stop(server);
		view_curves_end(&v);
		view_lives_end(&v);
	}
	view_sched_end(&v);
	viewer_end(&v);
	return server;
}

/*
 * Makes a process's trace of an argument that is no path. False, reported, if it is no process
 * either.
 */
static bool find_process(struct session *s, struct options *o, char **argument)
{
	struct leftover process;
	struct read_error error;

	if (access(*argument, F_OK) == 0 || strchr(*argument, '/')) {
		return true;
	}
	if (!top_process_find(*argument, &process, &error)) {
		session_say(s, "%s", error.text);
		return false;
	}
	o->process = xstrdup(process.directory);
	o->follows = true;
	*argument = o->process;
	free(process.path);
	return true;
}

/*
 * Gives back the memory of an answer at once: the threads of connections would keep it in heaps of
 * their own.
 */
static void bound_memory(void)
{
#ifdef __GLIBC__
	mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
	mallopt(M_ARENA_MAX, HEAPS_MAX);
#endif
}

/* Reports counters that no event has, as far as the traces declare their events. */
static bool check_counters(struct session *s, const struct options *o)
{
	const struct reader *r = s->reader;

	vec_foreach (const struct timeline_counter *, c, &o->counters.all) {
		bool is_found = !reader_declares_all(r);

		vec_foreach (struct event_class *const *, class, &r->classes.all) {
			const struct event *e = (*class)->event;

			is_found = is_found ||
				   (e && name_pattern_meets(&c->event, (*class)->name) &&
					   event_find_arg(e, c->field, strlen(c->field)) >= 0);
		}
		if (!is_found) {
			session_say(s, "--counter: no event matches '%s' and has a field '%s'",
				c->event.text, c->field);
			return false;
		}
	}
	return true;
}

/* Serves until a signal; blocks those that end it. */
static bool serve_until_end(struct session *s, const struct options *o)
{
	sigset_t ends;

	bound_memory();
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	int signals = signalfd(-1, &ends, SFD_CLOEXEC);
	bool ok = serve(s, o, signals);

	close(signals);
	return ok;
}

static void options_fini(struct options *o)
{
	vec_foreach (struct timeline_counter *, c, &o->counters.all) {
		name_pattern_fini(&c->event);
	}
	vec_fini(&o->counters.all);
	kept_fini(&o->tracks);
	free(o->process);
	out_fini(&o->selection);
}

int waymark_view(int argc, char **argv)
{
	struct options options = { .width = WIDTH };
	struct session s;

	out_init(&options.selection, OUT_TO_MEMORY);
	session_init(&s, command.name);
	int failed = parse(&s, &options, argc, argv);

	if (failed) {
		options_fini(&options);
		session_end(&s);
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	bool saves = options.page || options.png;
	bool ok = argc != optind + 1 || find_process(&s, &options, argv + optind);

	if (ok && options.follows && !saves) {
		session_follow(&s, FOLLOW_ALL);
	}
	ok = ok && (!session_open_several(&s, argv + optind, NULL) ||
			   (check_counters(&s, &options) &&
				   (saves ? save(&s, &options) : serve_until_end(&s, &options))));
	s.unreadable |= !ok;
	int status = session_end(&s);

	options_fini(&options);
	return status;
}
