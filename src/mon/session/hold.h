/* SPDX-License-Identifier: MIT */
/*
 * Events that clients hold by trace-attach: they are on for the native trace until the client
 * detaches. Several clients may hold an event. After the last one detaches, the event returns, for
 * each vCPU, to its former state, or to the state that a command gave it meanwhile. One list for
 * the process, with a lock.
 *
 * Clients may hold events under limits and a condition. No client takes calls away from another one
 * or from the process's trace: an event that is on already, not under the same terms, is on without
 * any until the last client detaches.
 */
#ifndef MON_HOLD_H
#define MON_HOLD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <waymark/control.h>

struct held;

/* The events that one client holds, each once. Empty when zeroed. */
struct holds {
	struct held **events; /* entries of the process's list */
	const char **names; /* room for all their names, so that releasing needs no memory */
	size_t count;
};

/*
 * Locks the list. A command holds the lock from before it reads the states of events until it has
 * changed them; else it could take a state that a client holds for the former one.
 */
void holds_lock(void);
void holds_unlock(void);

/*
 * Switches on and holds the events of the list that have the backend ctf, all or none. `terms`, of
 * which it takes ownership, fit them; NULL: none. Returns 0, or -1 with the reason. Needs the lock.
 */
int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_terms *terms,
	struct waymark_error *error);

/* Releases all events. Takes the lock. */
void holds_release(struct holds *h);

/*
 * Notes that a command has switched these events; the new state is theirs after release. `vcpu` is
 * an index, or HOLD_ALL_VCPUS: then the list has the new states. Needs the lock; call after the
 * change.
 */
#define HOLD_ALL_VCPUS UINT_MAX
void holds_note(const struct waymark_event_list *list, unsigned int vcpu, bool on);

/* True if any client holds an event. Needs the lock. */
bool holds_any(void);

/* Notes that events were switched on for all vCPUs, for the backend log only. */
void holds_note_log(const struct waymark_event_list *list);

#endif
