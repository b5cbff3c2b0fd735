/* SPDX-License-Identifier: MIT */
/*
 * Declares events into the buffer: see control.h. The trace has the name that the first process
 * would give it; the drain derives the names for its forks, as processes outside a jail do.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/ctf/control.h"
#include "rt/ctf/metadata.h"
#include "rt/ctf/state.h"
#include "rt/event/registry.h"
#include "rt/host/line.h"
#include "rt/record/jail.h"
#include "rt/record/process.h"

/* Room for declarations: for each event, and for events that are loaded later. */
#define TEXT_BYTES_EVENT UINT64_C(512)
#define TEXT_BYTES_MORE (UINT64_C(256) << 10)

/* How old the clocks' last reading may get. */
#define CLOCK_NS UINT64_C(1000000000)

/* The trace whose metadata is written. Wiped by a fork; made before the buffers. */
static struct ctf_trace *trace;

static uint32_t reading; /* 1: a thread reads the clocks */

static struct buffer *own_buffer(void)
{
	struct process *p = waymark_process_current();
	struct recorder *r = p ? &p->recorders[WAYMARK_RECORDER_CTF] : NULL;

	return r && recorder_is_jailed(r) ? recorder_buffer(r) : NULL;
}

bool waymark_ctf_jail_has_begun(void)
{
	return waymark_jail_is_on() && own_buffer();
}

static void declare_locked(struct buffer *b)
{
	struct buffer_jail *j = &b->file.jail;
	struct ctf_area area = {
		.text = (char *)b + j->text_offset, .room = j->text_room, .length = j->text_bytes
	};
	struct process *p = waymark_process_current();

	if (waymark_ctf_metadata_put(trace, &area)) {
		__atomic_store_n(&j->text_bytes, area.length, __ATOMIC_RELEASE);
	} else if (p) {
		waymark_notice(p, "jail=: no room for the declarations of further events: "
				  "readers cannot decode these");
		trace->declared = REGISTRY_IDS_MAX; /* reported once */
	}
}

static void read_clocks(struct buffer *b)
{
	uint64_t now = waymark_clock_ns();
	uint32_t none = 0;

	if (now - __atomic_load_n(&b->file.now.monotonic_ns, __ATOMIC_RELAXED) > CLOCK_NS &&
		__atomic_compare_exchange_n(
			&reading, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		waymark_buffer_set_clock(b, waymark_clock_pair());
		__atomic_store_n(&reading, 0, __ATOMIC_RELEASE);
	}
}

/* Relaxed: a thread that has seen an id either declares it or finds it declared. */
static void declare(struct buffer *b)
{
	struct guard guard;

	waymark_jail_look(b);
	read_clocks(b);
	if (waymark_registry_entry(__atomic_load_n(&trace->declared, __ATOMIC_RELAXED) + 1)) {
		waymark_ctf_lock(trace, &guard);
		declare_locked(b);
		waymark_ctf_unlock(trace, &guard);
	}
}

void waymark_ctf_jail_declare(void)
{
	struct buffer *b = own_buffer();

	if (b) {
		declare(b);
	}
}

static void begun(struct buffer *b)
{
	trace->pid = b->file.pid;
	trace->begin = b->file.begin;
	memcpy(trace->uuid, b->file.uuid, sizeof(trace->uuid));
	__atomic_store_n(
		&reading, 0, __ATOMIC_RELAXED); /* in a fork's child no thread reads the clocks */
	declare_locked(b);
}

static void get_name(const struct recorder *r, char *name, size_t size)
{
	const struct buffer *b = recorder_buffer(r);
	struct line l;

	line_init(&l, name, size);
	waymark_line_put(&l, "%s", b ? b->file.jail.base : "jail");
}

static void get_status(const struct recorder *r, struct consumer_status *status)
{
	(void)r;
	*status = (struct consumer_status){ 0 };
}

const struct consumer waymark_consumer_ctf_jail = {
	.begun = begun,
	.declare = declare,
	.get_name = get_name,
	.get_status = get_status,
};

/* Makes the name of the trace: the one asked for, or the default in the current directory. */
static bool make_base(char base[PATH_MAX], bool *is_named)
{
	const struct ctf_config *config = waymark_ctf_config();
	struct line l;

	*is_named = config && config->path[0];
	line_init(&l, base, PATH_MAX);
	if (*is_named) {
		waymark_line_put(&l, "%s", config->path);
		return !l.cut;
	}
	if (syscall(SYS_getcwd, base, PATH_MAX) < 0) {
		return false;
	}
	l.len = strlen(base);
	waymark_line_put(&l, "%strace-%u.ctf", base[1] ? "/" : "", (unsigned int)getpid());
	return !l.cut;
}

int waymark_ctf_jail_make(uint32_t count, size_t events)
{
	static char base[PATH_MAX]; /* used by one thread: waymark_init() under the control lock */
	struct process *p = waymark_process();
	struct jail_wish wish = { .count = count, .base = base };

	if (!p || process_has_recorded(p)) {
		return p ? EALREADY : ENOMEM;
	}
	trace = waymark_wiped_map(sizeof(*trace));
	if (!trace || !make_base(base, &wish.is_named)) {
		return errno;
	}
	waymark_ctf_names_keep();
	wish.text_bytes = events * TEXT_BYTES_EVENT + TEXT_BYTES_MORE;
	return waymark_jail_make(&wish);
}
