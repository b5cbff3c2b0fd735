/* SPDX-License-Identifier: MIT */
/* Removes unfinished outputs in a signal handler, see output/unfinished.h. */
#include "output/unfinished.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "base/compiler.h"
#include "format/ctf_files.h"
#include "rt/host/file.h"

static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };

/* The output, NULL if there is none. Changes only while the signals are held. */
static const struct output *volatile unfinished;

static bool remove_of_index(void *directory, const char *name)
{
	if (ctf_file_is_of_index(name)) {
		unlinkat(*(const int *)directory, name, 0);
	}
	return true;
}

static bool remove_of_trace(void *directory, const char *name)
{
	if (ctf_file_is_of_trace(name)) {
		unlinkat(*(const int *)directory, name, 0);
	}
	return true;
}

static void remove_folder(const struct output *o)
{
	int directory = o->fd;
	int index = openat(directory, CTF_INDEX, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (index >= 0) {
		directory_each(index, remove_of_index, &index);
		unlinkat(directory, CTF_INDEX, AT_REMOVEDIR);
	}
	directory_each(directory, remove_of_trace, &directory);
	rmdir(o->temporary);
}

/* Async-signal-safe: system calls only. */
static void on_signal(int number)
{
	const struct output *o = unfinished;

	if (o && o->is_folder) {
		remove_folder(o);
	} else if (o) {
		unlink(o->temporary);
	}
	unfinished = NULL;
	raise(number); /* SA_RESETHAND: ends the process when this function returns */
}

static sigset_t all_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		sigaddset(&set, numbers[i]);
	}
	return set;
}

void unfinished_hold(sigset_t *before)
{
	const sigset_t set = all_signals();

	sigprocmask(SIG_BLOCK, &set, before);
}

void unfinished_release(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}

void unfinished_note(const struct output *o)
{
	const struct sigaction act = {
		.sa_handler = on_signal, .sa_mask = all_signals(), .sa_flags = (int)SA_RESETHAND
	};
	struct sigaction now;

	unfinished = o;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
			sigaction(numbers[i], &act, NULL);
		}
	}
}

void unfinished_forget(const struct output *o)
{
	if (unfinished == o) {
		unfinished = NULL;
	}
}
