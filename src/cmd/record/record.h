/* SPDX-License-Identifier: MIT */
/* The parts of `waymark record`. Only record_report() prints. */
#ifndef CMD_RECORD_RECORD_H
#define CMD_RECORD_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "output/output.h"

/* Exit statuses if the program has none, as for env(1) and timeout(1). */
#define RECORD_FAILED 125
#define RECORD_CANNOT_RUN 126
#define RECORD_NOT_FOUND 127

/* The command line. */
struct record_request {
	VEC(const char *) patterns;
	VEC(const char *) options;
	const char *output; /* -o; NULL: PROGRAM-PID.ctf */
	char folder[PATH_MAX]; /* the current directory */
	char trace[PATH_MAX]; /* the output, absolute, without a slash at the end; "": no -o */
	bool replaces; /* --replace */
	bool has_no_control; /* --no-control */
	char **program; /* its argv */
};

/* One run of the program. */
struct record_run {
	int error; /* errno if the program could not be started */
	int status; /* from waitpid() */
	char trace[PATH_MAX]; /* trace in its WAYMARK_TRACE, absolute */
};

/*
 * Checks whether the request can be appended to the environment's WAYMARK_TRACE. Returns false with
 * the reason in `error` if it cannot, or if the program would refuse it.
 */
bool record_variable_check(const struct record_request *w, char *error, size_t size);

/* Returns the value of WAYMARK_TRACE for the trace; the caller frees it. */
char *record_variable(const struct record_request *w, const char *trace);

/*
 * Runs the program until it exits. The terminal's signals reach the program itself; signals of
 * other processes are passed on to it. When it stops, this process stops, too.
 */
void record_run(struct record_run *run, const struct record_request *w);

/* Finds the file of a program like execvp(); returns 0 or an errno. */
int record_find(const char *name, char path[PATH_MAX]);

/* The traces of a run: its own, then those of processes that it started, in one directory. */
struct record_traces {
	VEC(char *) paths;
};

/* Finds the trace and those named TRACE.PID, except those in `before`, unless it is NULL. */
void record_traces_find(
	struct record_traces *t, const char *trace, const struct record_traces *before);
void record_traces_fini(struct record_traces *t);

/* The claim of one run to the trace's name. */
struct record_claim {
	int socket; /* holds an abstract name that no other run can have; -1: none */
	struct output old; /* the output that had the trace's name */
	char error[700];
};

/* Sets the folder and the trace of `w` from -o. Returns false with `error`. */
bool record_claim_init(struct record_claim *p, struct record_request *w);

/*
 * Claims the trace's name for this run only, and puts an existing output aside. Returns false with
 * `error` if no trace can be made there.
 */
bool record_claim_take(struct record_claim *p, const struct record_request *w);

/*
 * Call after the run. Removes the output that was put aside, or restores its name if the run made
 * no trace of that name. Returns false with `error`.
 */
bool record_claim_settle(
	struct record_claim *p, const struct record_request *w, const struct record_traces *t);

/* Releases the name for other runs. */
void record_claim_fini(struct record_claim *p);

/* Recovers the traces, and prints their paths and contents, or why there is none. */
void record_report(const struct record_run *run, const struct record_request *w,
	const struct record_traces *t);

#endif
