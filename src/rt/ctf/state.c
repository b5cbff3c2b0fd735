/* SPDX-License-Identifier: MIT */
/*
 * The state shared by control calls and the consumer: control calls publish a configuration and the
 * state on or off, and the consumer reads both at its next pass. Also finds the consumer's own
 * state, and opens and locks the trace's directory, which may have been removed or replaced
 * meanwhile.
 */
#include <errno.h>

#include "rt/ctf/io.h"
#include "rt/ctf/metadata.h"
#include "rt/ctf/state.h"
#include "rt/host/futex.h"
#include "rt/record/process.h"
#include "rt/sink/sink.h"

/* By release and acquire; inherited by forked children. */
static struct ctf_config *current;
static struct ctf_config *withdrawn; /* the consumer may still use them */
static uint32_t switched_off;

struct ctf_state *waymark_ctf_current(void)
{
	struct process *p = waymark_process_current();
	struct recorder *r = p ? &p->recorders[WAYMARK_RECORDER_CTF] : NULL;
	const struct buffer *b = r ? recorder_buffer(r) : NULL;

	return b ? b->state : NULL;
}

struct ctf_state *waymark_ctf_begun(void)
{
	struct ctf_state *state = waymark_ctf_current();

	return state && __atomic_load_n(&state->trace.named, __ATOMIC_ACQUIRE) ? state : NULL;
}

const struct ctf_config *waymark_ctf_config(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

bool waymark_ctf_is_off(void)
{
	return __atomic_load_n(&switched_off, __ATOMIC_ACQUIRE);
}

int waymark_ctf_set_on(bool on, bool *was_on, struct waymark_error *error)
{
	return waymark_sink_switch(&switched_off, on, was_on, error);
}

static void push(struct ctf_config **list, struct ctf_config *config)
{
	struct ctf_config *previous = __atomic_load_n(list, __ATOMIC_ACQUIRE);

	do {
		config->previous = previous;
	} while (!__atomic_compare_exchange_n(
		list, &previous, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

void waymark_ctf_publish(struct ctf_config *config)
{
	push(&current, config);
}

void waymark_ctf_withdraw(struct ctf_config *config)
{
	struct ctf_config *expected = config;

	if (__atomic_compare_exchange_n(&current, &expected, config->previous, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		push(&withdrawn, config);
	}
}

#define WAIT_NS UINT64_C(10000000)

int waymark_ctf_open_directory(const struct ctf_trace *t)
{
	int directory = ctf_open_directory(t->path);
	struct stat st;

	if (directory >= 0 &&
		(waymark_stat(directory, &st) || st.st_dev != t->device || st.st_ino != t->inode)) {
		ctf_close(directory);
		errno = ENOENT;
		return -1;
	}
	return directory;
}

bool waymark_ctf_is_gone(const struct ctf_trace *t)
{
	int why = errno;
	int directory = waymark_ctf_open_directory(t);
	bool gone = directory < 0 && (errno == ENOENT || errno == ENOTDIR);

	ctf_close(directory);
	errno = why;
	return gone;
}

void waymark_ctf_lock(struct ctf_trace *t, struct guard *guard)
{
	uint32_t unlocked = 0;

	waymark_guard_begin(guard);
	while (!__atomic_compare_exchange_n(
		&t->metadata_lock, &unlocked, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		futex_wait(&t->metadata_lock, 1, WAIT_NS);
		unlocked = 0;
	}
}

void waymark_ctf_unlock(struct ctf_trace *t, const struct guard *guard)
{
	int why = errno;

	__atomic_store_n(&t->metadata_lock, 0, __ATOMIC_RELEASE);
	futex_wake(&t->metadata_lock);
	waymark_guard_end(guard);
	errno = why;
}

bool waymark_ctf_get_path(struct ctf_trace *t, char *path, size_t size)
{
	struct guard guard;

	if (!__atomic_load_n(&t->named, __ATOMIC_ACQUIRE)) {
		return false; /* the thread that begins the trace writes the path */
	}
	waymark_ctf_lock(t, &guard);
	size_t length = strlen(t->path);

	length = length < size ? length : size - 1;

	memcpy(path, t->path, length);
	path[length] = '\0';
	waymark_ctf_unlock(t, &guard);
	return length > 0;
}
