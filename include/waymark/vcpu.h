/* SPDX-License-Identifier: MIT */
/*
 * waymark/vcpu.h - events that are on for some virtual CPUs and off for others.
 *
 * An emulator registers its vCPUs with waymark_vcpu_init(); an event that is declared `vcpu` can
 * then be switched for each of them. A CPU is the pointer that the event's calls pass; it is never
 * dereferenced.
 *
 * An event declared `vcpu` is off, on for all vCPUs, or on for some of them. Switching the whole
 * event on (waymark/control.h, the option, the monitor) makes it on for all vCPUs; switching it off
 * for some backends keeps it off for the vCPUs that it was off for. `error` may be NULL; success
 * empties it. Any thread may call these functions at any time; no signal handler may, unless a
 * function says otherwise.
 */
#ifndef WAYMARK_VCPU_H
#define WAYMARK_VCPU_H

#include <limits.h>

#include <waymark/control.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The most vCPUs at one time. */
#define WAYMARK_VCPUS 4096

/* Index for waymark_vcpu_init(): the lowest that is free. */
#define WAYMARK_VCPU_NEXT UINT_MAX

/*
 * Index for waymark_vcpu_set_states() and waymark_vcpu_list_events(): all vCPUs that are registered
 * later, and every unregistered CPU.
 */
#define WAYMARK_VCPU_LATER (UINT_MAX - 1)

/*
 * Registers a vCPU, before its events fire. An event that is on for some vCPUs is on for the new
 * one if it was on for all and was then switched off for single ones, or if it was switched on for
 * WAYMARK_VCPU_LATER. It is off for the new one if it was switched on only for single ones. (QEMU
 * 2.7 to 8.0 switched on every event that was on for any vCPU.) Returns 0, or -1: `cpu` is NULL or
 * registered already, `index` is taken, or not below WAYMARK_VCPUS.
 */
int waymark_vcpu_init(void *cpu, unsigned int index, struct waymark_error *error);

/*
 * Unregisters a vCPU, whose events must no longer fire, and frees its index. An event that was on
 * only for this vCPU is off afterwards. Does nothing for an unregistered CPU.
 */
void waymark_vcpu_fini(void *cpu);

/* Returns the vCPU of that index, or NULL. Async-signal-safe. */
void *waymark_vcpu_find(unsigned int index);

/*
 * Returns the backends that are on for the event on that vCPU. An unregistered CPU, NULL included,
 * has the state that a new one would get; an event that is not declared `vcpu` has the same state
 * on all. Async-signal-safe.
 */
unsigned int waymark_vcpu_get_state(const void *cpu, const struct waymark_event *event);

/*
 * Switches one event on or off for one vCPU; the others stay as they are. Idempotent. Switches on
 * the backends that are on for other vCPUs or, if there are none, all that the event was built
 * with. Once it is switched off for the last vCPU, the event is off, also for later vCPUs.
 * Returns 0, or -1 and changes nothing: `cpu` is not registered, the event is not declared `vcpu`
 * or was built with no backend that this process switches, or memory or event ids ran out.
 */
int waymark_vcpu_set_state(
	const void *cpu, const struct waymark_event *event, bool on, struct waymark_error *error);

/*
 * Does what waymark_vcpu_set_state() does for the events declared `vcpu` whose name matches
 * `pattern` (as of waymark_enable()) in all loaded objects, atomically: all or none. Does not
 * affect objects loaded later. Skips other events that match, and events built with no backend that
 * this process switches. Returns 0, or -1 and changes nothing: no vCPU has that index, the pattern
 * is empty or a bad expression, a plain name matches no event or an event not declared `vcpu`, or
 * memory or event ids ran out.
 */
int waymark_vcpu_set_states(
	unsigned int index, const char *pattern, bool on, struct waymark_error *error);

/*
 * Does what waymark_list_events() does, for events declared `vcpu` only; `state` is the state on
 * the vCPU of that index. Free the list with waymark_free_events(). Returns 0, or -1 and an empty
 * list: no vCPU has that index, the expression is bad, or memory ran out.
 */
int waymark_vcpu_list_events(unsigned int index, const char *pattern,
	struct waymark_event_list *list, struct waymark_error *error);

/*
 * Sets the callback for changes to events of translated code (declared `tcg`, the part that fires
 * at execution), so that the host can translate again. After such events went on or off, `changed`
 * runs in the thread that switched them, once for each control call or load of an object that
 * changed any. `cpu` is the vCPU whose events changed; NULL means any. `changed` may run in several
 * threads at the same time; it must not call control functions, this one included, nor fork, and
 * should only set a flag. There is one callback; NULL removes it. When this function returns, all
 * calls of the former callback have returned, so do not hold a lock that `changed` takes. External
 * tracers and unloaded objects cause no call: drop translated code that calls an object's events
 * before unloading it.
 */
void waymark_vcpu_watch(void (*changed)(void *cpu, void *opaque), void *opaque);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
