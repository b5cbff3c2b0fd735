/* SPDX-License-Identifier: MIT */
/*
 * Events that clients hold by trace-attach: they are on for the native trace until the
 * client detaches. Several clients may hold an event; after the last one it gets the state
 * that it had before, or that a command gave it meanwhile, for each vCPU. One list for the
 * process, with a lock.
 */
#ifndef MON_HOLD_H
#define MON_HOLD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <waymark/control.h>

struct held;

/* The events that one client holds, each once. All zero: none. */
struct holds {
	struct held **events; /* in the list of the process */
	const char **names; /* room for as many, so that releasing needs no memory */
	size_t count;
};

/*
 * The lock, which a command holds from before it reads the states of events until it has
 * changed them: else it could take a state that a client holds for the former one.
 */
void holds_lock(void);
void holds_unlock(void);

/*
 * Switches on and holds the events of the list that have the backend ctf, all or none.
 * Returns 0, or -1 with the reason. Under the lock.
 */
int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_error *error);

/* Releases all of them. Takes the lock. */
void holds_release(struct holds *h);

/*
 * Notes that a command has switched these events, which become their state after release.
 * `vcpu` is an index, or HOLD_ALL_VCPUS. Under the lock, after the change.
 */
#define HOLD_ALL_VCPUS UINT_MAX
void holds_note(const struct waymark_event_list *list, unsigned int vcpu, bool on);

/* The same for events switched on for all vCPUs, for the backend log only. */
void holds_note_log(const struct waymark_event_list *list);

#endif
