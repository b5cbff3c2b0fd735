/* SPDX-License-Identifier: MIT */
/* `waymark drain`: takes the events of jailed processes out of their memory, into traces. */
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/recover/drain_jobs.h"
#include "cmd/waymark.h"
#include "read/buffer.h"
#include "recover/cut_memory.h"

enum { KEY_ONCE = ARGUMENT_LONG };

/* Between rounds: at once where there was something, and longer where there was not. */
#define PAUSE_MIN_NS (1000 * 1000)
#define PAUSE_MAX_NS (50 * 1000 * 1000)

/* How often the other thread shows that we live; processes wait for ten. */
#define BEAT_SECONDS 2

/* So long nothing could be written of a process that is gone: nobody waits for that to change. */
#define PATIENCE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

/* How often /dev/shm is looked through for others, in rounds of the longest pause. */
#define LOOK_NS (UINT64_C(200) * 1000 * 1000)

static const struct argument rows[] = {
	{ KEY_ONCE, "once", NULL,
		"take what is there now, and end: not wait for a program\n"
		"that has not begun, nor for the end of one that runs" },
	{ 'o', "output", "DIR", "make the traces in DIR, and not where the program asked for" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark drain",
	.usage = "[OPTION...] TRACE|PID...",
	.about =
		"Takes the events of processes in a jail out of their memory and writes their traces.\n"
		"The program runs with jail=N and has called waymark_init(); TRACE is what its file=\n"
		"says, PID its first process or the one that records. Waits for it where it has not\n"
		"begun, and ends when all its processes have. SIGINT and SIGTERM end it before: what\n"
		"is not yet written stays in memory for the next one. See waymark-jail(7).",
	.arguments = rows,
};

/* By the signal handler. */
static volatile sig_atomic_t stopped;

/*
 * Shows that a drain lives while a trace takes long to finish, or who waits would give up. It is
 * cancelled in its sleep: nothing else here is a point of cancellation.
 */
static void *beat(void *arg)
{
	struct drain_run *r = arg;

	for (;;) {
		nanosleep(&(struct timespec){ .tv_sec = BEAT_SECONDS }, NULL);
		pthread_mutex_lock(&r->lock);
		vec_foreach (struct drain_job **, job, &r->jobs) {
			if ((*job)->is_open) {
				jail_buffer_beat(&(*job)->drain.buffer);
			}
		}
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

static void print_done(const struct drain *d)
{
	static const char *const rest[] = {
		[DRAIN_RECORDS] = " so far; its process lives",
		[DRAIN_LEFT] = " so far; the rest stays in memory",
		[DRAIN_DONE] = "",
		[DRAIN_CUT] = " so far; the rest is lost",
	};

	if (!d->directory_name[0]) {
		return;
	}
	escaped_put(stdout, d->directory_name);
	printf(": %" PRIu64 " event%s, %" PRIu64 " lost%s\n", d->events, d->events == 1 ? "" : "s",
		d->lost, rest[d->state]);
	fflush(stdout);
}

static void close_job(struct drain_run *r, struct drain_job *job)
{
	pthread_mutex_lock(&r->lock);
	drain_close(&job->drain);
	job->is_open = false;
	pthread_mutex_unlock(&r->lock);
}

/* What is wrong is said once, and tried again; at the end it counts. */
static void tell(struct drain_run *r, struct drain_job *job, bool last)
{
	if (!job->complained) {
		drain_complain("%s: %s%s",
			job->drain.directory_name[0] ? job->drain.directory_name : job->path,
			job->drain.error, last ? "" : "; it is tried again");
	}
	job->complained = true;
	r->status |= last ? EXIT_FAILURE : 0;
}

static void end_job(struct drain_run *r, struct drain_job *job)
{
	if (job->drain.state == DRAIN_DONE) {
		print_done(&job->drain);
	}
	job->is_released = drain_release(&job->drain);
	r->has_released |= job->is_released;
	if (!job->is_released) {
		tell(r, job, true);
	}
	close_job(r, job);
	job->is_over = true;
}

/* Whether nothing more could be written of a dead process for too long. */
static bool is_hopeless(struct drain_job *job, bool goes_on)
{
	if (goes_on || job->drain.state != DRAIN_LEFT) {
		job->failing_ns = 0;
		return false;
	}
	job->failing_ns = job->failing_ns ? job->failing_ns : clock_now_ns();
	return clock_now_ns() - job->failing_ns > PATIENCE_NS;
}

static void end_so_far(struct drain_run *r, struct drain_job *job)
{
	job->drain.events += job->drain.files.events;
	print_done(&job->drain);
	job->drain.files.events = 0;
	close_job(r, job);
	job->is_over = true;
}

static void give_up(struct drain_run *r, struct drain_job *job)
{
	drain_complain("%s: gives up: what is left stays in memory for the next one",
		job->drain.directory_name[0] ? job->drain.directory_name : job->path);
	r->status = EXIT_FAILURE;
	end_so_far(r, job);
}

/* One round of all; returns how many packets were taken. */
static size_t round_of_all(struct drain_run *r, bool last)
{
	size_t all = 0;

	vec_foreach (struct drain_job **, it, &r->jobs) {
		struct drain_job *job = *it;
		size_t taken = 0;

		if (!job->is_open) {
			continue;
		}
		bool ok = drain_round(&job->drain, r->place, &taken);
		bool cut = job->drain.state == DRAIN_CUT;

		if (!ok) {
			job->complained &= !cut; /* of something else */
			tell(r, job, last || cut);
		}
		all += taken;
		if (cut) {
			end_so_far(r, job);
			continue;
		}
		if (is_hopeless(job, ok || taken > 0)) {
			give_up(r, job);
			continue;
		}
		if (job->drain.state >= DRAIN_DONE) {
			end_job(r, job);
		}
	}
	return all;
}

static bool is_over(const struct drain_run *r)
{
	vec_foreach (struct drain_job **, job, &r->jobs) {
		if (!(*job)->is_over) {
			return false;
		}
	}
	return r->found;
}

static void pause_for(uint64_t ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
}

/* To who sits before it: nothing comes until a program does. To all: what may be the reason. */
static bool say_waiting(const struct drain_run *r)
{
	if (r->is_hidden) {
		drain_complain("%s: waits for a program: other users' memory is there, too, which "
			       "only root or that user may read",
			r->words[0]);
	} else if (isatty(STDERR_FILENO)) {
		drain_complain("no program records there yet: this waits for one; ^C ends it, "
			       "--once does not wait");
	}
	return true;
}

/* Rounds until all have ended, or somebody ends it. */
static void drain_all(struct drain_run *r)
{
	bool has_said = false;
	uint64_t pause = PAUSE_MIN_NS;
	uint64_t since = LOOK_NS;

	while (!stopped) {
		if (since >= LOOK_NS || r->has_released || is_over(r)) {
			r->has_released = false;
			drain_find(r);
			has_said = has_said || r->found || say_waiting(r);
			since = 0;
		}
		if (is_over(r) || drain_is_in_vain(r)) {
			break; /* and nothing else came meanwhile */
		}
		bool found = round_of_all(r, false) > 0;

		pause = found ? PAUSE_MIN_NS : pause * 2 < PAUSE_MAX_NS ? pause * 2 : PAUSE_MAX_NS;
		pause_for(pause);
		since += pause;
	}
}

static void close_all(struct drain_run *r)
{
	vec_foreach (struct drain_job **, it, &r->jobs) {
		struct drain_job *job = *it;

		bool has_trace =
			job->drain.state == DRAIN_RECORDS || job->drain.state == DRAIN_LEFT;

		if (job->is_open && has_trace) {
			end_so_far(r, job);
		} else if (job->is_open) {
			close_job(r, job);
		}
	}
}

static void free_all(struct drain_run *r)
{
	vec_foreach (struct drain_job **, job, &r->jobs) {
		free((*job)->path);
		free(*job);
	}
	vec_fini(&r->jobs);
}

/* Reads the command line; returns 0, or what ends the run. */
static int parse(struct drain_run *r, int argc, char **argv)
{
	struct stat st;
	int key;

	while ((key = arguments_next(&command, argc, argv)) != ARGUMENTS_END) {
		if (key < 0) {
			return key;
		}
		if (key == KEY_ONCE) {
			r->once = true;
		} else {
			r->place = optarg;
		}
	}
	r->words = argv + optind;
	if (r->place && (stat(r->place, &st) != 0 || !S_ISDIR(st.st_mode))) {
		return arguments_bad(&command, "-o %s: is no directory", r->place);
	}
	return *r->words ? 0 : arguments_bad(&command, "the trace or the process is missing");
}

static void run(struct drain_run *r)
{
	struct sigaction act = { .sa_handler = on_signal };
	pthread_t thread;

	int error = pthread_create(&thread, NULL, beat, r); /* without it, all goes on but that */

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	cut_memory_survive();
	if (r->once) {
		drain_find(r);
	} else {
		drain_all(r);
	}
	round_of_all(r, true); /* what came since, and what is wrong at the end */
	if (!r->found && (r->once || drain_is_in_vain(r))) {
		drain_explain_nothing(r);
		r->status = EXIT_FAILURE;
	}
	close_all(r);
	if (!error) {
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	free_all(r);
}

int waymark_drain(int argc, char **argv)
{
	struct drain_run r = { .lock = PTHREAD_MUTEX_INITIALIZER, .status = EXIT_SUCCESS };
	char place[PATH_MAX];
	int failed = parse(&r, argc, argv);
	int error = buffer_source_folder_error();

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (error) {
		drain_complain("cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s",
			buffer_source_folder(), strerror(error));
		return EXIT_FAILURE;
	}
	r.place = r.place ? realpath(r.place, place) : NULL;
	run(&r);
	return r.status;
}
