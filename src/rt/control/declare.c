/* SPDX-License-Identifier: MIT */
/*
 * Steps before events are switched on, and the jail= that was asked for, about which one step
 * warns. The functions that switch events call this, without the control lock.
 */
#include <unistd.h>

#include "base/compiler.h"
#include "rt/control/declare.h"
#include "rt/ctf/control.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/host/lock.h"
#include "rt/host/message.h"
#include "rt/sink/sink.h"
#include "rt/text/backends.h"

/* These backends open files at a process's first event; the others have opened theirs by then. */
#define RECORDING_BACKENDS (WAYMARK_CTF | WAYMARK_SIMPLE)

static uint32_t wanted; /* relaxed: processes in the jail; 0: no jail */
static pid_t wanted_by;
static bool is_off; /* relaxed: jail=off */
static bool is_taken; /* written once: waymark_init() has read `wanted` */
static bool may_be_killed; /* relaxed: waymark_init() has made no jail, and no warning was given */

void waymark_jail_want(uint32_t count)
{
	wanted_by = getpid();
	__atomic_store_n(&wanted, count, __ATOMIC_RELAXED);
	__atomic_store_n(&is_off, count == 0, __ATOMIC_RELAXED);
	if (count == 0) {
		__atomic_store_n(&may_be_killed, false, __ATOMIC_RELAXED);
	}
}

uint32_t waymark_jail_take_wish(void)
{
	is_taken = true;
	return __atomic_load_n(&wanted, __ATOMIC_RELAXED);
}

/*
 * Without a jail the user finds no trace. Only the process that read the option reports it, not its
 * children.
 */
__attribute__((destructor)) static void report_vain(void)
{
	if (wanted && !is_taken && wanted_by == getpid()) {
		waymark_message("jail=: no effect: the program does not call waymark_init()");
	}
}

static void warn_of_kill(unsigned int backends)
{
	if (!(backends & RECORDING_BACKENDS) ||
		!__atomic_exchange_n(&may_be_killed, false, __ATOMIC_RELAXED)) {
		return;
	}
	if (backends & WAYMARK_CTF) {
		waymark_message("ctf without jail=: where a seccomp filter kills, the first event "
				"kills its process; set jail=N for N processes, or jail=off if no "
				"filter does; see waymark-jail(7)");
	} else {
		waymark_message("simple: where a seccomp filter kills, the first event kills its "
				"process; use ctf with jail=, or set jail=off if no filter does; "
				"see waymark-jail(7)");
	}
}

void waymark_jail_is_missing(unsigned int on)
{
	if (!__atomic_load_n(&is_off, __ATOMIC_RELAXED)) {
		__atomic_store_n(&may_be_killed, true, __ATOMIC_RELAXED);
		warn_of_kill(on);
	}
}

static void prepare_for(unsigned int backends)
{
	warn_of_kill(backends);
	for (size_t i = 0; i < ARRAY_SIZE(waymark_text_backends); i++) {
		const struct text_backend_row *row = &waymark_text_backends[i];

		if (backends & row->bit && row->backend->load) {
			row->backend->load();
		}
	}
}

/* The backends that have a step in prepare_for(). */
static unsigned int prepared(void)
{
	unsigned int mask =
		__atomic_load_n(&may_be_killed, __ATOMIC_RELAXED) ? RECORDING_BACKENDS : 0;

	for (size_t i = 0; i < ARRAY_SIZE(waymark_text_backends); i++) {
		const struct text_backend_row *row = &waymark_text_backends[i];

		mask |= row->backend->load ? row->bit : 0;
	}
	return mask;
}

static void prepare_triggers(const struct waymark_rules *rules)
{
	for (size_t i = 0; i < rules->count; i++) {
		if (rules->items[i].trigger && rules->items[i].on) {
			waymark_trigger_start();
			return;
		}
	}
}

void waymark_declare_rules(struct waymark_rules *rules)
{
	prepare_triggers(rules);
	if (waymark_ctf_has_begun()) {
		waymark_rules_identify(rules, WAYMARK_CTF);
		waymark_ctf_declare_now();
	}
	prepare_for(waymark_rules_want(rules, prepared()));
}

void waymark_declare_object(struct waymark_object *object)
{
	if (waymark_ctf_has_begun()) {
		waymark_rules_identify_in(object, WAYMARK_CTF);
		waymark_ctf_declare_now();
	}
	prepare_for(waymark_rules_want_in(object, prepared()));
}

void waymark_declare_identified(unsigned int backends)
{
	if (waymark_ctf_has_begun()) {
		waymark_ctf_declare_now();
	}
	prepare_for(backends);
}

void waymark_declare_event(struct waymark_event *event, unsigned int backends)
{
	backends &= event_backends(event);
	if (backends & WAYMARK_CTF && waymark_ctf_has_begun()) {
		waymark_lock();
		waymark_entry_id(event);
		waymark_unlock();
		waymark_ctf_declare_now();
	}
	prepare_for(backends);
}
