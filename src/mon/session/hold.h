/* SPDX-License-Identifier: MIT */
/*
 * What clients hold: events that are on for the native trace only as long as
 * somebody has attached to them. Several may hold the same event; when the last
 * lets go, it gets the state that it had before, or that a command has given it
 * meanwhile, for each vCPU. One list for the process, with a lock.
 */
#ifndef MON_HOLD_H
#define MON_HOLD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <waymark/control.h>

struct held;

/* The events that one client holds, none twice. All zero: none. */
struct holds {
	struct held **events; /* the list's, as long as anybody holds them */
	const char **names; /* room for as many: letting go needs no memory of ours */
	size_t count;
};

/*
 * From before a command looks at the states of events until it has changed them:
 * else it could take for the former state of an event what another client holds.
 */
void holds_lock(void);
void holds_unlock(void);

/*
 * Switches on what of the list is built with ctf, and holds it. All or nothing.
 * Returns 0, or -1 with the reason. Under the lock.
 */
int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_error *error);

/* Lets go of all of it. Takes the lock. */
void holds_release(struct holds *h);

/*
 * A command has switched these events: that is what they return to. `vcpu` is the index of
 * the one that it was about, HOLD_ALL_VCPUS: all. Under the lock, behind the change.
 */
#define HOLD_ALL_VCPUS UINT_MAX
void holds_note(const struct waymark_event_list *list, unsigned int vcpu, bool on);

/* The same of what was switched on, for all vCPUs, for the backend log only. */
void holds_note_log(const struct waymark_event_list *list);

#endif
