/* SPDX-License-Identifier: MIT */
/*
 * Runs the recorded program as a child in our process group, with the environment and signals that
 * this process was started with, so that it has the terminal. Signals are received with
 * sigwaitinfo(), one at a time, so no code runs in a signal handler.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/record/record.h"

/* Signals that other processes send to this one for the program. */
static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGTSTP,
	SIGCONT };

/* The signals to wait for, and the settings that the program inherits instead. */
struct signals {
	sigset_t ours;
	sigset_t mask;
	struct sigaction child; /* of SIGCHLD */
};

static void signals_give_back(const struct signals *s)
{
	sigaction(SIGCHLD, &s->child, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

/* Sets the default name: the first that is free, since a pid may be reused. */
static void put_default(struct record_run *run, const struct record_request *w)
{
	const char *slash = strrchr(w->program[0], '/');
	const char *name = slash && slash[1] ? slash + 1 : w->program[0];
	struct stat st;
	size_t length = 0;

	for (unsigned int n = 0; n == 0 || (n < 1000 && lstat(run->trace, &st) == 0); n++) {
		char more[16] = "";

		if (n > 0) {
			snprintf(more, sizeof(more), "-%u", n);
		}
		length = (size_t)snprintf(run->trace, sizeof(run->trace), "%s/%.200s-%d%s.ctf",
			w->folder[1] ? w->folder : "", name, (int)getpid(), more);
	}
	run->error = length < sizeof(run->trace) ? 0 : ENAMETOOLONG;
}

static void wait_for(pid_t child, struct record_run *run, const struct signals *s)
{
	bool wants_stop = false; /* the terminal has asked to stop */
	siginfo_t info;

	for (;;) {
		int sig = sigwaitinfo(&s->ours, &info);

		if (sig > 0 && sig != SIGCHLD) {
			wants_stop = sig == SIGTSTP || (wants_stop && sig != SIGCONT);
			/*
			 * A signal of the terminal, or of the program to its group, has already
			 * reached it.
			 */
			if (info.si_code <= 0 && info.si_pid != child) {
				kill(child, info.si_signo);
			}
		}
		if (sig != SIGCHLD || waitpid(child, &run->status, WNOHANG | WUNTRACED) != child) {
			continue;
		}
		if (!WIFSTOPPED(run->status)) {
			return;
		}
		if (wants_stop || WSTOPSIG(run->status) != SIGSTOP) {
			/* Stops like the program, unless a SIGCONT has arrived meanwhile. */
			sigset_t pending;

			if (sigpending(&pending) == 0 && !sigismember(&pending, SIGCONT)) {
				raise(SIGSTOP);
			}
		}
	}
}

void record_run(struct record_run *result, const struct record_request *w)
{
	struct signals s;
	/* Shared memory: the child sets the error, and the name, which has its pid. */
	struct record_run *run =
		mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (run == MAP_FAILED) {
		*result = (struct record_run){ .error = errno };
		return;
	}
	struct sigaction usual = { .sa_handler = SIG_DFL };

	sigemptyset(&s.ours);
	sigaddset(&s.ours, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++) {
		sigaddset(&s.ours, forwarded[i]);
	}
	sigprocmask(SIG_BLOCK, &s.ours, &s.mask);
	/* SIG_IGN, which may be inherited, would discard the program's status. */
	sigaction(SIGCHLD, &usual, &s.child);
	pid_t child = fork();

	if (child == 0) {
		signals_give_back(&s);
		/* The child executes the program. Its memory is private, except `run`. */
		if (w->trace[0]) {
			strcpy(run->trace, w->trace);
		} else {
			put_default(run, w);
		}
		if (!run->error &&
			setenv("WAYMARK_TRACE", record_variable(w, run->trace), 1) == 0) {
			execvp(w->program[0], w->program);
		}
		run->error = run->error ? run->error : errno;
		_exit(RECORD_CANNOT_RUN);
	}
	if (child < 0) {
		run->error = errno;
	} else {
		wait_for(child, run, &s);
		/* Drops signals for the program that arrived while it exited. */
		static const struct timespec at_once;

		while (sigtimedwait(&s.ours, NULL, &at_once) > 0) {
		}
	}
	signals_give_back(&s);
	*result = *run;
	munmap(run, sizeof(*run));
}

/* Finds the file like execvp(): skips what is not executable, and returns the last reason. */
int record_find(const char *name, char path[PATH_MAX])
{
	const char *folders = getenv("PATH");
	int error = ENOENT;
	struct stat st;

	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return access(path, X_OK) != 0			     ? errno
		       : stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? EACCES
								     : 0;
	}
	folders = folders ? folders : "/bin:/usr/bin";
	for (const char *end; *name; folders = end + 1) {
		end = folders + strcspn(folders, ":");
		snprintf(path, PATH_MAX, "%.*s%s%s", (int)(end - folders), folders,
			end > folders ? "/" : "", name);
		if (access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
			return 0;
		}
		error = access(path, F_OK) == 0 ? EACCES : error;
		if (!*end) {
			break;
		}
	}
	return error;
}
