/* SPDX-License-Identifier: MIT */
/* What options set of the recorder, and what it tells of itself. */
#include <errno.h>
#include <string.h>

#include <waymark/record.h>

#include "rt/host/error.h"
#include "rt/record/clock.h"
#include "rt/record/jail.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"
#include "rt/record/settings.h"
#include "rt/record/tally.h"

/* How long a flush waits for a writer that does not get on. */
#define FLUSH_PATIENCE_NS UINT64_C(10000000000)

/* Relaxed: each is read on its own, and most when the buffer is made. */
static struct {
	uint64_t buffer; /* 0: nobody said */
	uint64_t delay_ns;
	uint32_t policy;
	uint32_t string; /* UINT32_MAX: as long as a record takes */
	uint64_t leftovers;
} settings = { 0, UINT64_C(5000000000), RECORDER_DISCARD, UINT32_MAX, RECORDER_LEFTOVERS_DEFAULT };

#define BUFFER_DEFAULT (UINT64_C(256) << 20)

/* Relaxed: a count. */
static uint64_t lost_early;

void waymark_recorder_lose_early(void)
{
	__atomic_fetch_add(&lost_early, 1, __ATOMIC_RELAXED);
}

uint64_t waymark_recorder_lost_early(void)
{
	return __atomic_load_n(&lost_early, __ATOMIC_RELAXED);
}

static int too_late(const char *what, struct waymark_error *error)
{
	struct process *p = waymark_process_current();

	if (!p || !process_has_recorded(p)) {
		return 0;
	}
	return waymark_fail(error, "%s cannot change any more: events have been recorded", what);
}

int waymark_recorder_set_buffer(uint64_t bytes, struct waymark_error *error)
{
	if (too_late("the buffer's size", error)) {
		return -1;
	}
	if (bytes < RECORDER_BUFFER_MIN || bytes > RECORDER_BUFFER_MAX) {
		return waymark_fail(error, "a buffer must have 1 MiB to 64 GiB");
	}
	__atomic_store_n(&settings.buffer, bytes, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

uint64_t waymark_recorder_buffer(void)
{
	uint64_t set = __atomic_load_n(&settings.buffer, __ATOMIC_RELAXED);

	return set ? set : BUFFER_DEFAULT;
}

bool waymark_recorder_buffer_is_given(void)
{
	return __atomic_load_n(&settings.buffer, __ATOMIC_RELAXED) > 0;
}

int waymark_recorder_set_policy(enum recorder_policy policy, struct waymark_error *error)
{
	if (too_late("what a full buffer does", error)) {
		return -1;
	}
	__atomic_store_n(&settings.policy, policy, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

enum recorder_policy waymark_recorder_policy(void)
{
	return __atomic_load_n(&settings.policy, __ATOMIC_RELAXED);
}

int waymark_recorder_set_string(uint64_t bytes, struct waymark_error *error)
{
	if (too_late("the longest string", error)) {
		return -1;
	}
	if (bytes < RECORDER_STRING_MIN || bytes > RECORDER_STRING_MAX) {
		return waymark_fail(error, "a string may have 8 bytes to 16 KiB");
	}
	__atomic_store_n(&settings.string, (uint32_t)bytes, __ATOMIC_RELAXED);
	error_clear(error);
	return 0;
}

uint32_t waymark_string_max(uint32_t max)
{
	uint32_t set = __atomic_load_n(&settings.string, __ATOMIC_RELAXED);

	return set < max ? set : max;
}

uint32_t waymark_recorder_cycles(void)
{
	if (!waymark_clock_is_cycles()) {
		return 0;
	}
	return __atomic_load_n(&settings.string, __ATOMIC_RELAXED) == UINT32_MAX
		       ? WAYMARK_CYCLES
		       : WAYMARK_CYCLES_SLOWLY;
}

void waymark_recorder_set_delay(uint64_t ns)
{
	__atomic_store_n(&settings.delay_ns, ns, __ATOMIC_RELAXED);
}

uint64_t waymark_recorder_delay(void)
{
	return __atomic_load_n(&settings.delay_ns, __ATOMIC_RELAXED);
}

void waymark_recorder_set_leftovers(uint64_t bytes)
{
	__atomic_store_n(&settings.leftovers, bytes, __ATOMIC_RELAXED);
}

uint64_t waymark_recorder_leftovers(void)
{
	return __atomic_load_n(&settings.leftovers, __ATOMIC_RELAXED);
}

/* The counters of all consumers together; `error` is of one that has any, `failed`. */
static struct consumer_status sum_status_of(const struct process *p, enum waymark_recorder *failed)
{
	struct consumer_status sum = { 0 };

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		const struct recorder *r = &p->recorders[k];
		struct consumer_status one = { 0 };

		if (!recorder_buffer(r)) {
			continue;
		}
		recorder_consumer(p, r)->get_status(r, &one);
		sum.unwritten += one.unwritten;
		sum.progress += one.progress;
		if (one.error) {
			sum.error = one.error;
			*failed = (enum waymark_recorder)k;
		}
	}
	return sum;
}

static struct consumer_status sum_status(const struct process *p)
{
	enum waymark_recorder ignored;

	return sum_status_of(p, &ignored);
}

uint64_t waymark_recorder_progress(const struct process *p)
{
	return sum_status(p).progress;
}

/* Whether events stay in memory because their file takes nothing now. */
static bool is_stalled(const struct process *p)
{
	bool stalled = false;

	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		stalled |= __atomic_load_n(&p->recorders[k].stalled, __ATOMIC_RELAXED);
	}
	return stalled;
}

int waymark_recorder_flush(void)
{
	struct process *p = waymark_process_current();

	if (!p || !process_has_recorded(p) || waymark_jail_is_on()) {
		return 0; /* in a jail what is in memory is as safe as it can be from here */
	}
	uint64_t unwritten = sum_status(p).unwritten;

	if (!waymark_writer_flush(p, FLUSH_PATIENCE_NS, UINT64_MAX)) {
		errno = ETIMEDOUT;
		return -1;
	}
	struct consumer_status now = sum_status(p);

	if (now.unwritten == unwritten && !is_stalled(p)) {
		return 0;
	}
	errno = now.error ? now.error : EIO;
	return -1;
}

void waymark_recorder_snapshot(void)
{
	struct process *p = waymark_process_current();

	if (p) {
		__atomic_fetch_add(&p->snapshots, 1, __ATOMIC_RELEASE);
		waymark_doorbell();
	}
}

void waymark_recorder_get_stats(struct waymark_recorder_stats *stats)
{
	struct process *p = waymark_process_current();
	struct tally all = { 0 };

	waymark_tally_total(p, &all);
	stats->recorded = all.recorded;
	stats->lost = all.lost;
	stats->bytes = all.bytes;
	struct consumer_status status = { 0 };

	stats->failed = WAYMARK_RECORDER_CTF;
	if (p) {
		status = sum_status_of(p, &stats->failed);
	}
	stats->unwritten = status.unwritten;
	stats->error = status.error;
}
