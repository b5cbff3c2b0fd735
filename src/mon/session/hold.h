/* SPDX-License-Identifier: MIT */
/*
 * What clients hold: events that are on for the native trace only as long as
 * somebody has attached to them. Several may hold the same event; when the last
 * lets go, it gets the state that it had before, or that a command has given it
 * meanwhile. One list for the process, with a lock of its own.
 */
#ifndef MON_HOLD_H
#define MON_HOLD_H

#include <stdbool.h>
#include <stddef.h>

#include <waymark/control.h>

/* The names of events that one client holds. All zero: none. */
struct holds {
	char **names; /* owned */
	size_t count;
};

/*
 * Switches on what of the list is built with ctf, and holds it. All or nothing.
 * Returns 0, or -1 with the reason.
 */
int holds_add(struct holds *h, const struct waymark_event_list *list, struct waymark_error *error);

/* Lets go of all of it. */
void holds_release(struct holds *h);

/*
 * A command has switched these events: that is what they return to. Call it
 * behind the change.
 */
void holds_note(const struct waymark_event_list *list, bool on);

#endif
