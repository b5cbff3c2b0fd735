/* SPDX-License-Identifier: MIT */
/*
 * `waymark drain`: moves the events of processes in a jail from memory to traces. Finds the buffers
 * that the command line names, and drains each in rounds (recover/drain.h) until its process has
 * ended. A second thread shows the processes that the drain is alive.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
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
#include "base/memory.h"
#include "base/vec.h"
#include "cmd/arguments.h"
#include "cmd/escaped.h"
#include "cmd/waymark.h"
#include "read/buffer.h"
#include "recover/drain.h"
#include "recover/leftover.h"

enum { KEY_ONCE = ARGUMENT_LONG };

/* Pause between rounds: short after a round that found packets, else doubled. */
#define PAUSE_MIN_NS (1000 * 1000)
#define PAUSE_MAX_NS (50 * 1000 * 1000)

/*
 * Interval in which the second thread shows that this drain is alive; processes wait for ten
 * seconds.
 */
#define BEAT_SECONDS 2

/* Time to retry if the rest of an ended process cannot be written. */
#define PATIENCE_NS (UINT64_C(10) * 1000 * 1000 * 1000)

/* Interval between searches of /dev/shm for further buffers. */
#define SEARCH_NS (UINT64_C(200) * 1000 * 1000)

static const struct argument rows[] = {
	{ KEY_ONCE, "once", NULL,
		"drain the present events and exit; do not wait for a\n"
		"program to start or end" },
	{ 'o', "output", "DIR", "write the traces to DIR instead of the program's place" },
	{ 0 },
};

static const struct command command = {
	.name = "waymark drain",
	.usage = "[OPTION...] TRACE|PID...",
	.about =
		"Moves the events of processes in a jail from their memory into traces. The program\n"
		"runs with jail=N and has called waymark_init(). TRACE is the value of its file=, PID\n"
		"its first process or the one that records. Waits for the program to start, and exits\n"
		"when all its processes have ended. SIGINT and SIGTERM end it earlier: events not yet\n"
		"written stay in memory for the next drain. See waymark-jail(7).",
	.arguments = rows,
};

/* A buffer that was named, and its problems that were reported. */
struct job {
	char *path; /* of the buffer */
	struct drain drain;
	bool is_open;
	bool is_over; /* drained, or cannot be drained */
	bool is_released; /* its trace is complete; the buffer may already be another process's */
	bool complained;
	/* start of a series of failed writes after its process ended; 0: none */
	uint64_t failing_ns;
};

struct run {
	/* Locked to change `jobs` or the `drain` of an open job, and by the beating thread. */
	pthread_mutex_t lock;
	VEC(struct job *) jobs;
	char **words; /* traces and pids of the command line */
	const char *place; /* folder of the traces; NULL: where each program wants its trace */
	bool once;
	bool found; /* a named buffer was found */
	bool is_hidden; /* an unreadable buffer may be among those named */
	bool has_released; /* a released buffer may already belong to the next process */
	int status;
};

static volatile sig_atomic_t stopped; /* set by the signal handler */

static void on_signal(int sig)
{
	(void)sig;
	stopped = 1;
}

/* Returns the process that a word of the command line means; 0 if it is no pid. */
static uint32_t pid_of(const char *word)
{
	char *end;
	unsigned long value = strtoul(word, &end, 10);

	return isdigit((unsigned char)*word) && !*end && value <= INT_MAX ? (uint32_t)value : 0;
}

static bool is_named(const struct run *r, struct jail_buffer *a)
{
	const struct buffer_jail *j = &a->file->jail;
	char base[BUFFER_FILE_PATH_BYTES];
	char directory[BUFFER_FILE_PATH_BYTES];

	jail_buffer_base(a, base);
	jail_buffer_directory(a, directory);
	jail_buffer_owner(a);
	for (char **word = r->words; *word; word++) {
		uint32_t pid = pid_of(*word);
		bool is_its = pid == j->family || pid == a->pid || pid == a->file->pid;

		if ((pid && is_its) || leftover_is_place(base, *word) ||
			leftover_is_place(directory, *word)) {
			return true;
		}
	}
	return false;
}

static bool is_known(const struct run *r, const char *path)
{
	vec_foreach (struct job **, job, &r->jobs) {
		if (strcmp((*job)->path, path) == 0) {
			return true;
		}
	}
	return false;
}

/* Opens the buffer. Returns false if the command line does not name it. */
static bool open_named(struct run *r, struct job *job)
{
	struct jail_buffer a;
	int error = jail_buffer_open(&a, job->path);
	bool is_meant = !error && is_named(r, &a);

	jail_buffer_close(&a);
	r->is_hidden |= error == EACCES;
	if (!is_meant) {
		return false;
	}
	r->found = true;
	error = drain_open(&job->drain, job->path);
	job->is_open = !error;
	job->is_over = error;
	if (error == EBUSY) {
		escaped_say(command.name, "%s: another waymark drain works on it", job->path);
	} else if (error) {
		escaped_say(command.name, "%s: cannot be opened: %s", job->path, strerror(error));
	}
	r->status |= error ? EXIT_FAILURE : 0;
	return true;
}

static void free_job(struct job *job)
{
	free(job->path);
	free(job);
}

static void add(struct run *r, const char *path)
{
	struct job *job = xcalloc(1, sizeof(*job));

	job->path = xstrdup(path);
	if (!open_named(r, job)) {
		free_job(job);
		return;
	}
	pthread_mutex_lock(&r->lock);
	vec_push(&r->jobs, job);
	pthread_mutex_unlock(&r->lock);
}

/* Frees finished jobs, so that memory does not grow in a run of years. */
static void forget_released(struct run *r)
{
	size_t kept = 0;

	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->jobs.count; i++) {
		struct job *job = r->jobs.items[i];

		if (job->is_released) {
			free_job(job);
		} else {
			r->jobs.items[kept++] = job;
		}
	}
	r->jobs.count = kept;
	pthread_mutex_unlock(&r->lock);
}

/* Adds the named buffers that are not known yet. */
static void find(struct run *r)
{
	char path[BUFFER_FILE_PATH_BYTES];

	forget_released(r);
	DIR *folder = opendir(buffer_source_folder());

	for (struct dirent *e; folder && (e = readdir(folder));) {
		snprintf(path, sizeof(path), "%s/%s", buffer_source_folder(), e->d_name);
		if (buffer_source_is_name(e->d_name) && !is_known(r, path)) {
			add(r, path);
		}
	}
	if (folder) {
		closedir(folder);
	}
}

/* True if all words are processes that have ended, and nothing of them was found. */
static bool is_in_vain(const struct run *r)
{
	if (r->found) {
		return false;
	}
	for (char **word = r->words; *word; word++) {
		uint32_t pid = pid_of(*word);

		if (!pid || kill((pid_t)pid, 0) == 0 || errno != ESRCH) {
			return false;
		}
	}
	return true;
}

/*
 * The second thread. Shows that the drain is alive while finishing a trace takes long; otherwise
 * processes would stop waiting for memory. Its only cancellation point is its sleep.
 */
static void *beat(void *arg)
{
	struct run *r = arg;

	for (;;) {
		nanosleep(&(struct timespec){ .tv_sec = BEAT_SECONDS }, NULL);
		pthread_mutex_lock(&r->lock);
		vec_foreach (struct job **, job, &r->jobs) {
			if ((*job)->is_open) {
				jail_buffer_beat(&(*job)->drain.buffer);
			}
		}
		pthread_mutex_unlock(&r->lock);
	}
	return NULL;
}

static void print_done(const struct drain *d)
{
	static const char *const rest[] = {
		[DRAIN_RECORDS] = " so far; its process still runs",
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

static void close_job(struct run *r, struct job *job)
{
	pthread_mutex_lock(&r->lock);
	drain_close(&job->drain);
	job->is_open = false;
	pthread_mutex_unlock(&r->lock);
}

/* Returns the trace of a job; its buffer if it has no trace yet. */
static const char *name_of(const struct job *job)
{
	return job->drain.directory_name[0] ? job->drain.directory_name : job->path;
}

/* Reports an error once, before a retry; an error in the last round makes the run fail. */
static void report(struct run *r, struct job *job, bool is_last)
{
	if (!job->complained) {
		escaped_say(command.name, "%s: %s%s", name_of(job), job->drain.error,
			is_last ? "" : "; retrying");
	}
	job->complained = true;
	r->status |= is_last ? EXIT_FAILURE : 0;
}

/* Ends a job whose trace lacks a part. */
static void end_early(struct run *r, struct job *job)
{
	job->drain.events += job->drain.files.events;
	print_done(&job->drain);
	job->drain.files.events = 0;
	close_job(r, job);
	job->is_over = true;
}

/* True if writing the rest of an ended process has failed for too long. */
static bool is_hopeless(struct job *job, bool goes_on)
{
	if (goes_on || job->drain.state != DRAIN_LEFT) {
		job->failing_ns = 0;
		return false;
	}
	job->failing_ns = job->failing_ns ? job->failing_ns : clock_now_ns();
	return clock_now_ns() - job->failing_ns > PATIENCE_NS;
}

/* Drains one buffer once. Returns the number of packets. */
static size_t drain_job(struct run *r, struct job *job, bool is_last)
{
	size_t taken = 0;
	bool ok = drain_round(&job->drain, r->place, &taken);
	bool was_cut = job->drain.state == DRAIN_CUT;

	if (!ok) {
		job->complained &= !was_cut; /* that may have been about another error */
		report(r, job, is_last || was_cut);
	}
	if (was_cut) {
		end_early(r, job);
	} else if (is_hopeless(job, ok || taken > 0)) {
		escaped_say(command.name,
			"%s: gives up: the rest stays in memory for the next drain", name_of(job));
		r->status = EXIT_FAILURE;
		end_early(r, job);
	} else if (job->drain.state >= DRAIN_DONE) {
		/* The trace is complete: ends the job. */
		if (job->drain.state == DRAIN_DONE) {
			print_done(&job->drain);
		}
		job->is_released = drain_release(&job->drain);
		r->has_released |= job->is_released;
		if (!job->is_released) {
			report(r, job, true);
		}
		close_job(r, job);
		job->is_over = true;
	}
	return taken;
}

static size_t drain_all(struct run *r, bool is_last)
{
	size_t taken = 0;

	vec_foreach (struct job **, job, &r->jobs) {
		taken += (*job)->is_open ? drain_job(r, *job, is_last) : 0;
	}
	return taken;
}

static bool is_over(const struct run *r)
{
	vec_foreach (struct job **, job, &r->jobs) {
		if (!(*job)->is_over) {
			return false;
		}
	}
	return r->found;
}

/* Prints only at a terminal, unless other users' memory may be the reason. */
static void report_waiting(const struct run *r)
{
	if (r->is_hidden) {
		escaped_say(command.name,
			"%s: waiting for a program; the memory of other users is not readable: "
			"run as root or as that user",
			r->words[0]);
	} else if (isatty(STDERR_FILENO)) {
		escaped_say(command.name,
			"no program records there yet: waiting for one; ^C ends it, --once does "
			"not wait");
	}
}

/* Drains in rounds until all processes have ended, or a signal arrives. */
static void drain_to_the_end(struct run *r)
{
	bool has_reported = false;
	long pause = PAUSE_MIN_NS;
	uint64_t since_search = SEARCH_NS;

	while (!stopped) {
		if (since_search >= SEARCH_NS || r->has_released || is_over(r)) {
			r->has_released = false;
			find(r);
			if (!r->found && !has_reported) {
				report_waiting(r);
			}
			has_reported = true;
			since_search = 0;
		}
		if (is_over(r) || is_in_vain(r)) {
			return; /* the search found no others */
		}
		bool found = drain_all(r, false) > 0;

		pause = found ? PAUSE_MIN_NS : pause * 2 < PAUSE_MAX_NS ? pause * 2 : PAUSE_MAX_NS;
		nanosleep(&(struct timespec){ .tv_nsec = pause }, NULL);
		since_search += (uint64_t)pause;
	}
}

static void close_all(struct run *r)
{
	vec_foreach (struct job **, it, &r->jobs) {
		struct job *job = *it;
		bool has_trace =
			job->drain.state == DRAIN_RECORDS || job->drain.state == DRAIN_LEFT;

		if (job->is_open && has_trace) {
			end_early(r, job);
		} else if (job->is_open) {
			close_job(r, job);
		}
	}
}

/* Reads the command line; returns 0, or the result that ends the run. */
static int parse(struct run *r, int argc, char **argv)
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
		return arguments_bad(&command, "-o %s: is not a directory", r->place);
	}
	return *r->words ? 0 : arguments_bad(&command, "the trace or the process is missing");
}

static void run(struct run *r)
{
	struct sigaction act = { .sa_handler = on_signal };
	pthread_t thread;
	int error = pthread_create(&thread, NULL, beat, r); /* everything else works without it */

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	leftover_survive_cuts();
	if (r->once) {
		find(r);
	} else {
		drain_to_the_end(r);
	}
	drain_all(r, true); /* packets closed since the last round; errors are final now */
	if (!r->found && (r->once || is_in_vain(r))) {
		escaped_say(command.name, "%s: no process in a jail records into it%s", r->words[0],
			r->is_hidden ? " that you may read; the memory of other users exists: run "
				       "as root or as that user"
				     : "");
		r->status = EXIT_FAILURE;
	}
	close_all(r);
	if (!error) {
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	vec_foreach (struct job **, job, &r->jobs) {
		free_job(*job);
	}
	vec_fini(&r->jobs);
}

int waymark_drain(int argc, char **argv)
{
	struct run r = { .lock = PTHREAD_MUTEX_INITIALIZER, .status = EXIT_SUCCESS };
	char place[PATH_MAX];
	int failed = parse(&r, argc, argv);
	int error = buffer_source_folder_error();

	if (failed) {
		return failed == ARGUMENTS_DONE ? EXIT_SUCCESS : WAYMARK_USAGE;
	}
	if (error) {
		escaped_say(command.name, "cannot open " BUFFER_SOURCE_VARIABLE "=%s: %s",
			buffer_source_folder(), strerror(error));
		return EXIT_FAILURE;
	}
	r.place = r.place ? realpath(r.place, place) : NULL;
	run(&r);
	return r.status;
}
