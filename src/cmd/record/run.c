/* SPDX-License-Identifier: MIT */
/*
 * The recorded program: a child in our process group with all that we were
 * started with, so that the terminal is its own. Signals are taken in one place,
 * one at a time: nothing runs in a handler.
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

/* What others send to us is meant for the program. */
static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGTSTP,
	SIGCONT };

/* What the program had if we were not there. */
struct signals {
	sigset_t ours;
	sigset_t mask;
	struct sigaction child;
};

static void signals_take(struct signals *s)
{
	struct sigaction usual = { .sa_handler = SIG_DFL };

	sigemptyset(&s->ours);
	sigaddset(&s->ours, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(forwarded); i++) {
		sigaddset(&s->ours, forwarded[i]);
	}
	sigprocmask(SIG_BLOCK, &s->ours, &s->mask);
	/* Whose children nobody waits for would take its status away. */
	sigaction(SIGCHLD, &usual, &s->child);
}

static void signals_give_back(const struct signals *s)
{
	sigaction(SIGCHLD, &s->child, NULL);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
}

/* What came in the same moment as the program's end was meant for it, too. */
static void signals_drop(const struct signals *s)
{
	static const struct timespec at_once;

	while (sigtimedwait(&s->ours, NULL, &at_once) > 0) {
	}
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The first name that nothing has, as a number may come again. */
static void put_default(struct record_run *run, const struct record_wishes *w)
{
	const char *name = last_name(w->program[0]);
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

/* In the child, whose memory is its own but for `run`. */
static void become(struct record_run *run, const struct record_wishes *w)
{
	if (w->trace[0]) {
		strcpy(run->trace, w->trace);
	} else {
		put_default(run, w);
	}
	if (!run->error && setenv("WAYMARK_TRACE", record_variable(w, run->trace), 1) == 0) {
		execvp(w->program[0], w->program);
	}
	run->error = run->error ? run->error : errno;
}

static void forward(pid_t child, const siginfo_t *info)
{
	/* The terminal tells the program itself, and what it sends to its group it has, too. */
	if (info->si_code <= 0 && info->si_pid != child) {
		kill(child, info->si_signo);
	}
}

/* Whoever waits for us sees the program stop; who has sent us on meanwhile is obeyed. */
static void stop_too(void)
{
	sigset_t pending;

	if (sigpending(&pending) == 0 && !sigismember(&pending, SIGCONT)) {
		raise(SIGSTOP);
	}
}

static void wait_for(pid_t child, struct record_run *run, const struct signals *s)
{
	bool wants_stop = false; /* the terminal's */
	siginfo_t info;

	for (;;) {
		int sig = sigwaitinfo(&s->ours, &info);

		if (sig > 0 && sig != SIGCHLD) {
			wants_stop = sig == SIGTSTP || (wants_stop && sig != SIGCONT);
			forward(child, &info);
		}
		if (sig != SIGCHLD || waitpid(child, &run->status, WNOHANG | WUNTRACED) != child) {
			continue;
		}
		if (!WIFSTOPPED(run->status)) {
			return;
		}
		if (wants_stop || WSTOPSIG(run->status) != SIGSTOP) {
			stop_too();
		}
	}
}

void record_run(struct record_run *result, const struct record_wishes *w)
{
	struct signals s;
	/* Of both: the child chooses the name, for its number is in it, and says what failed. */
	struct record_run *run =
		mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (run == MAP_FAILED) {
		*result = (struct record_run){ .error = errno };
		return;
	}
	signals_take(&s);
	pid_t child = fork();

	if (child == 0) {
		signals_give_back(&s);
		become(run, w);
		_exit(RECORD_CANNOT_RUN);
	}
	if (child < 0) {
		run->error = errno;
	} else {
		wait_for(child, run, &s);
		signals_drop(&s);
	}
	signals_give_back(&s);
	*result = *run;
	munmap(run, sizeof(*run));
}

/* As execvp(): what is no file, or may not be run, is passed over; the last reason stays. */
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
