/* SPDX-License-Identifier: MIT */
/*
 * waymark/vcpu.h - events that are on for some virtual CPUs and off for others.
 *
 * An emulator tells of its vCPUs with waymark_vcpu_init(); an event that is
 * declared `vcpu` is then switched for each of them. A CPU is the pointer that
 * the event's calls pass; nothing looks at what it points to.
 *
 * Such an event is off, or on for all vCPUs alike, or on for some of them. Whatever
 * switches it as a whole (waymark/control.h, the option, the monitor) makes it
 * alike for all again when it switches it on; switched off, it stays off for those
 * that it was off for. Where `error` is given, success empties it. Any thread may call
 * these at any time, and no signal handler may, unless it is said otherwise.
 */
#ifndef WAYMARK_VCPU_H
#define WAYMARK_VCPU_H

#include <limits.h>

#include <waymark/control.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* How many vCPUs there may be at one time. */
#define WAYMARK_VCPUS 4096

/* For waymark_vcpu_init(): the lowest index that is free. */
#define WAYMARK_VCPU_NEXT UINT_MAX

/*
 * For waymark_vcpu_set_states() and waymark_vcpu_list_events(), in place of an index: the vCPUs
 * that come later, and every CPU that nobody has told of.
 */
#define WAYMARK_VCPU_LATER (UINT_MAX - 1)

/*
 * Tells of a vCPU, before its events fire. Events that are on for some vCPUs are on for
 * the new one where those that come later were to get them: not when it was switched on
 * for single ones, but when it was on for all and switched off for single ones, or was
 * switched for WAYMARK_VCPU_LATER. (QEMU 2.7 to 8.0 gave it what was on for any.) Returns
 * 0, or -1: `cpu` is NULL or told of already, `index` is taken, or not below WAYMARK_VCPUS.
 */
int waymark_vcpu_init(void *cpu, unsigned int index, struct waymark_error *error);

/*
 * Takes a vCPU out, whose events fire no more; its index is free again. An event that was
 * on for this one only is off now. One that was never told of is passed over.
 */
void waymark_vcpu_fini(void *cpu);

/* The vCPU of that index, NULL when there is none. Also for signal handlers. */
void *waymark_vcpu_find(unsigned int index);

/*
 * The backends that are on for the event on that vCPU. A CPU that nobody has told of, NULL
 * among them, has the events that a new one would get; an event that is not declared `vcpu` is
 * the same on all. Also for signal handlers.
 */
unsigned int waymark_vcpu_get_state(const void *cpu, const struct waymark_event *event);

/*
 * Switches one event on or off for one vCPU; the others stay as they are. Idempotent. On means
 * the backends that are on for other vCPUs, and where there are none, all that the event was built
 * with. Off for the last vCPU that had it, the event is off, for later ones too. Returns 0, or -1
 * and nothing changed: nobody told of `cpu`, the event is not declared `vcpu` or was built with no
 * backend that this process switches, or memory or event ids ran out.
 */
int waymark_vcpu_set_state(
	const void *cpu, const struct waymark_event *event, bool on, struct waymark_error *error);

/*
 * Does so for the events declared `vcpu` whose name matches `pattern`, as waymark_enable() has it,
 * in all objects that are loaded by now: all at one moment, or none. It leaves nothing for
 * objects that are loaded later. Others that a pattern matches, and those built with no
 * backend that this process switches, are passed over. Returns 0, or -1 and nothing changed: no
 * vCPU has that index, the pattern is empty or a bad expression, a name without a pattern's
 * characters is that of no event or of one not declared `vcpu`, or memory or event ids ran out.
 */
int waymark_vcpu_set_states(
	unsigned int index, const char *pattern, bool on, struct waymark_error *error);

/*
 * waymark_list_events() for the events declared `vcpu` only; `state` is that of the vCPU
 * of that index. Finish it with waymark_free_events(). Returns 0, or -1 and an empty list:
 * no vCPU has that index, a bad expression, or no memory.
 */
int waymark_vcpu_list_events(unsigned int index, const char *pattern,
	struct waymark_event_list *list, struct waymark_error *error);

/*
 * Asks to be told of changes to events of translated code (declared `tcg`, the part
 * that fires at execution), because calls to them stand in what was translated: after they went on
 * or off, `changed` is called in the thread that switched them, once for each
 * control call, or load of an object, that changed any. `cpu` is the vCPU whose events changed,
 * NULL: any may have. It may run in several threads at once, may not call control, this included,
 * nor fork, and should do no more than raise a flag. There is one; another, or NULL, ends it: its
 * calls have returned, and none comes, when this returns, so a lock that `changed` takes is not
 * to be held. Tracers outside of the process are not told of, nor are objects that are unloaded:
 * what was translated with calls of an object's events is to be dropped before.
 */
void waymark_vcpu_watch(void (*changed)(void *cpu, void *opaque), void *opaque);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
