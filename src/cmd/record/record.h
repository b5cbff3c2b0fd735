/* SPDX-License-Identifier: MIT */
/* The parts of `waymark record`. None but record_report() prints. */
#ifndef CMD_RECORD_RECORD_H
#define CMD_RECORD_RECORD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/vec.h"
#include "write/aside.h"

/* What ends a run before the program does, as env(1) and timeout(1) have it. */
#define RECORD_FAILED 125
#define RECORD_CANNOT_RUN 126
#define RECORD_NOT_FOUND 127

/* What the command line asks for. */
struct record_wishes {
	VEC(const char *) patterns;
	VEC(const char *) options;
	const char *output; /* as it was given; NULL: PROGRAM-PID.ctf */
	char folder[PATH_MAX]; /* the current one */
	char trace[PATH_MAX]; /* the output, absolute, without a slash behind; "": none given */
	bool replaces;
	bool has_no_control; /* no monitor is asked for */
	char **program; /* its argv */
};

/* One run of the program. */
struct record_run {
	int error; /* an errno: why the program could not be started */
	int status; /* of waitpid() */
	char trace[PATH_MAX]; /* absolute: what its WAYMARK_TRACE names */
};

/*
 * Puts what is wished into the variable, behind what the environment has there. False: a part of
 * it cannot stand there, or the program would refuse it, with the reason in `error`.
 */
bool record_variable_check(const struct record_wishes *w, char *error, size_t size);

/* The variable's value for the trace; the caller frees it. */
char *record_variable(const struct record_wishes *w, const char *trace);

/*
 * Runs the program until it ends. What the terminal sends is the program's own; what others
 * send to us goes on to it; where it stops, so do we.
 */
void record_run(struct record_run *run, const struct record_wishes *w);

/* Which file a name without a slash is, as execvp() looks for it; 0 or an errno. */
int record_find(const char *name, char path[PATH_MAX]);

/* The traces of a run and of the processes that it started: names of one folder, the main first. */
struct record_traces {
	VEC(char *) paths;
};

/* Finds the trace and those of names like PATH.PID that `before`, unless it is NULL, lacks. */
void record_traces_find(
	struct record_traces *t, const char *trace, const struct record_traces *before);
void record_traces_fini(struct record_traces *t);

/* The trace's name while it is ours. */
struct record_place {
	int claim; /* a socket, whose name no other run has */
	struct aside old; /* what had the name */
	char error[700];
};

/* Finds out the folder and the trace's name of `w`. False: there is no such, see `error`. */
bool record_place_name(struct record_place *p, struct record_wishes *w);

/*
 * Takes the name that was given for this run alone, and puts aside what has it.
 * False: no trace can be made there, see `error`.
 */
bool record_place_take(struct record_place *p, const struct record_wishes *w);

/*
 * Behind the run: what had the name goes for good, or has it again where the run made no trace
 * of that name. False: it cannot, see `error`.
 */
bool record_place_settle(
	struct record_place *p, const struct record_wishes *w, const struct record_traces *t);

/* Lets others have the name. */
void record_place_leave(struct record_place *p);

/* Makes the traces whole, and says where they are and what they hold; or why there is none. */
void record_report(
	const struct record_run *run, const struct record_wishes *w, const struct record_traces *t);

/* Why a program may have recorded nothing: a line of text that ends a sentence. */
void record_explain(const char *program, char *text, size_t size);

#endif
