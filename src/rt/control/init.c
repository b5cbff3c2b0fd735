/* SPDX-License-Identifier: MIT */
/*
 * waymark/init.h: opens all that tracing needs of the system before the program enters a jail.
 * Called by the program, never by an event.
 */
#include <waymark/init.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/control/declare.h"
#include "rt/control/environment.h"
#include "rt/ctf/control.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/record/jail.h"
#include "rt/record/recorder.h"
#include "rt/text/backends.h"

static pthread_once_t init_once = PTHREAD_ONCE_INIT;
static int result; /* written once, under `init_once`, for which a second caller waits */

/* Opens the outputs of these backends. Returns false if one cannot be opened. */
static bool open_outputs(unsigned int backends)
{
	bool opened = true;

	for (size_t i = 0; i < ARRAY_SIZE(waymark_text_backends); i++) {
		const struct text_backend *b = waymark_text_backends[i].backend;
		bool is_built = backends & waymark_text_backends[i].bit;

		if (is_built && b->load) {
			b->load();
		}
		if (is_built && b->open) {
			opened = b->open() && opened;
		}
	}
	return opened;
}

static size_t count_events(void)
{
	struct waymark_iter iter;
	size_t count = 0;

	waymark_iter_init(&iter, NULL);
	while (waymark_registry_next(&iter)) {
		count++;
	}
	return count;
}

static const char *explain(int why)
{
	switch (why) {
	case EALREADY:
		return "events have been recorded before waymark_init()";
	case ENOSPC:
		return "no room in /dev/shm for the buffers: make buffer= smaller, or jail=";
	default:
		return strerror(why);
	}
}

static bool make_jail(uint32_t count)
{
	int why;

	if (waymark_recorder_policy() == RECORDER_OVERWRITE) {
		waymark_message(
			"jail=: full=overwrite is not possible in a jail; using full=discard");
		waymark_recorder_set_policy(RECORDER_DISCARD, NULL);
	}
	why = waymark_ctf_jail_make(count, count_events());
	if (why) {
		waymark_message(
			"jail=%u: %s; tracing continues without a jail", count, explain(why));
	}
	return !why;
}

/* The backends that any event is on for. */
static unsigned int backends_on(void)
{
	const struct waymark_event *event;
	struct waymark_iter iter;
	unsigned int on = 0;

	waymark_iter_init(&iter, NULL);
	while ((event = waymark_registry_next(&iter))) {
		on |= state_get(event);
	}
	return on;
}

static void init(void)
{
	uint32_t count = waymark_jail_take_wish();
	bool opened = open_outputs(waymark_registry_backends());

	if ((count && !make_jail(count)) || !opened) {
		result = -1;
	}
	if (!waymark_jail_is_on()) {
		waymark_jail_is_missing(backends_on());
	}
}

int waymark_init(void)
{
	waymark_environment_load();
	pthread_once(&init_once, init);
	return result;
}

/* Adds the descriptor unless the list has it; past the end of the list only counts it. */
static void push(int fd, int *fds, size_t *count, size_t capacity)
{
	for (size_t i = 0; i < *count && i < capacity; i++) {
		if (fds[i] == fd) {
			return;
		}
	}
	if (*count < capacity) {
		fds[*count] = fd;
	}
	++*count;
}

int waymark_push_descriptors(int *fds, size_t *count, size_t capacity)
{
	int buffers[WAYMARK_JAIL_MAX];
	size_t made = waymark_jail_descriptors(buffers);
	unsigned int backends = waymark_registry_backends();
	size_t with = *count;

	for (size_t i = 0; i < made; i++) {
		push(buffers[i], fds, &with, capacity);
	}
	for (size_t i = 0; i < ARRAY_SIZE(waymark_text_backends); i++) {
		const struct text_backend *b = waymark_text_backends[i].backend;
		bool has_one = backends & waymark_text_backends[i].bit && b->descriptor;
		int fd = has_one ? b->descriptor() : -1;

		if (fd >= 0) {
			push(fd, fds, &with, capacity);
		}
	}
	*count = with;
	return with <= capacity ? 0 : -1;
}

/* Calls that an architecture or a kernel does not have; negative numbers are left out. */
#ifndef SYS_newfstatat
#define SYS_newfstatat (-1)
#endif
#ifndef SYS_fstat
#define SYS_fstat (-1)
#endif
#ifndef SYS_mmap
#define SYS_mmap (-1)
#endif

static const struct {
	int number;
	unsigned int backends;
} calls[] = {
#define JAIL_CALL(name, backends, why) { SYS_##name, backends },
#include "rt/control/jail_calls.def"
#undef JAIL_CALL
};

const int *waymark_jail_syscalls(size_t *count)
{
	static int numbers[ARRAY_SIZE(calls)]; /* under the control lock */
	unsigned int backends = waymark_registry_backends();
	size_t n = 0;

	waymark_lock();
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		if (calls[i].number >= 0 && calls[i].backends & backends) {
			numbers[n++] = calls[i].number;
		}
	}
	waymark_unlock();
	*count = n;
	return numbers;
}
