/* SPDX-License-Identifier: MIT */
/*
 * trace/control.h - the control API under the names that QEMU gave it, so that code written for
 * QEMU's tracing builds and runs unchanged. It is a thin layer over waymark/control.h. New code may
 * prefer that header: its functions return errors, while some of these print and exit as QEMU's do,
 * or let the program print (waymark_set_host()).
 *
 * ID is TRACE_<NAME>; trace_event_get_state() and similar are in waymark/state.h, which the header
 * of each group includes. Unless a function says otherwise, any thread may call it, no signal
 * handler may, and an event pointer is valid until the object that declares the event is unloaded.
 * A program need not call any of them: WAYMARK_TRACE works without them.
 *
 * Signatures are those of QEMU's latest release, plus trace_event_iter_init() of 5.0. In 5.0,
 * trace_opt_parse() returned the file's name and trace_init_file() took it: C cannot offer both
 * forms, so such a program must drop the variable.
 *
 * Events that are declared `disable`, or generated for `nop` only, do not exist at run time: they
 * are not listed, and no name finds them.
 */
#ifndef TRACE_CONTROL_H
#define TRACE_CONTROL_H

#include <stdio.h>

#include <waymark/control.h>
#include <waymark/event.h>
#include <waymark/state.h>
#include <waymark/vcpu.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

typedef struct waymark_event TraceEvent;
typedef struct waymark_iter TraceEventIter;

/* Begins an iteration over all events. */
void trace_event_iter_init_all(TraceEventIter *iter);

/*
 * Begins an iteration over the events with a matching name (`*`, `?`, `/REGEX/`); `pattern` must
 * outlive the iterator.
 */
void trace_event_iter_init_pattern(TraceEventIter *iter, const char *pattern);

/*
 * Begins an iteration over one group: all events of one program or shared object, numbered from 0
 * in the order of loading; a number is not used twice.
 */
void trace_event_iter_init_group(TraceEventIter *iter, size_t group_id);

/*
 * Begins an iteration as QEMU up to 5.0 does: over matching events, or over all if `pattern` is
 * NULL.
 */
void trace_event_iter_init(TraceEventIter *iter, const char *pattern);

/* Returns the next event, or NULL at the end. Objects may be loaded and unloaded meanwhile. */
TraceEvent *trace_event_iter_next(TraceEventIter *iter);

/* Returns the first event of exactly that name, or NULL. */
TraceEvent *trace_event_name(const char *name);

/*
 * Returns whether `str` is a pattern rather than a name: it has a `*` or `?`, or begins with a `/`.
 */
bool trace_event_is_pattern(const char *str);

/*
 * Returns the event's number in recorded traces of this process, from 1; assigns a number if the
 * event has none. Returns 0 if ids (65535) or memory ran out, or if `ev` is NULL.
 */
uint32_t trace_event_get_id(TraceEvent *ev);

/* Returns the event's name, "" for NULL. Async-signal-safe. */
const char *trace_event_get_name(TraceEvent *ev);

/* Returns whether the event was generated for any backend. Async-signal-safe. */
bool trace_event_get_state_static(TraceEvent *ev);

/* Returns whether any backend is on for the event now. Async-signal-safe. */
bool trace_event_get_state_dynamic(TraceEvent *ev);

/*
 * Switches all backends of an event on or off; idempotent. Warns once on standard error if the
 * event has no backend that this process switches.
 */
void trace_event_set_state_dynamic(TraceEvent *ev, bool state);
void trace_event_set_state_dynamic_init(TraceEvent *ev, bool state);

/*
 * Events declared `vcpu`, as in QEMU 2.7 to 8.0. A CPU is the pointer, of any type, that the calls
 * of these events pass. The functions of waymark/vcpu.h return errors.
 */

/* trace_event_get_state() for one vCPU. Async-signal-safe. */
#define trace_event_get_vcpu_state(cpu, id) \
	((id##_ENABLED) && (id##_VCPU_STATE(cpu) & ~(0u | WAYMARK_OUTSIDE_BACKENDS)) != 0)

/*
 * Registers a vCPU under the lowest free index; unregisters it. Hosts with their own indices call
 * waymark_vcpu_init(), whose comment also says which events are on for a new vCPU: not, as in QEMU,
 * those that are on for any other vCPU. Warns once on standard error on failure.
 */
void trace_init_vcpu(void *cpu);
void trace_fini_vcpu(void *cpu);

/* Returns whether any backend is on for the event on that vCPU now. Async-signal-safe. */
bool trace_event_get_vcpu_state_dynamic(const void *cpu, TraceEvent *ev);

/*
 * Switches an event on or off for one vCPU; idempotent. Warns once on standard error if the vCPU is
 * not registered or the event is not declared `vcpu`.
 */
void trace_event_set_vcpu_state_dynamic(const void *cpu, TraceEvent *ev, bool state);

/* Returns whether the event is declared `vcpu`; false for NULL. Async-signal-safe. */
bool trace_event_is_vcpu(TraceEvent *ev);

/* Result of trace_event_get_vcpu_id() for other events and for NULL. */
#define TRACE_VCPU_EVENT_NONE ((uint32_t)-1)

/*
 * Returns the event's number among those declared `vcpu`, from 0, in the order of registration
 * (unloading an object lowers later numbers); the number of such events.
 */
uint32_t trace_event_get_vcpu_id(TraceEvent *ev);
uint32_t trace_get_vcpu_event_count(void);

/*
 * Prepares the backends. Returns true. Optional: kept so that a program can call it, as in QEMU,
 * after it became a daemon.
 */
bool trace_init_backends(void);

/*
 * Opens the file that `-trace file=` named, after the program became a daemon: the file belongs to
 * the first of ctf, simple and log that the loaded objects were built with. If file= was given but
 * there is no such backend or the file cannot be opened, prints the reason on standard error and
 * exits with status 1. The file has all events since trace_opt_parse(), including those of
 * processes forked since then, see waymark-qemu(3).
 */
void trace_init_file(void);

/* Prints the names of all events, one a line, in the order of registration. */
void trace_list_events(FILE *f);

/*
 * Applies the argument of `-d trace:`: switches events on, or off with a `-` before the name or
 * pattern. If the loaded objects were built with `log`, switches only that backend, because the
 * user asked for log lines; otherwise all their backends. `help` and `?` print the list of events
 * on standard output and exit with status 0. Warns about a name without an event, but not about
 * such a pattern. Names and patterns also apply to objects loaded later.
 */
void trace_enable_events(const char *line_buf);

/*
 * Applies the argument of one -trace option, see waymark-trace(7). Call it once for each option. On
 * a bad option prints the reason and exits with status 1; `help` prints the list of events and
 * exits with status 0. Warns about names and patterns without an event, and about backends that no
 * loaded event was built with. trace_init_file() opens the last `file=` given; the other keys take
 * effect immediately.
 */
void trace_opt_parse(const char *optarg);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
