/* SPDX-License-Identifier: MIT */
/*
 * trace/control.h - the control API under the names that QEMU gave it, so that
 * code written for QEMU's tracing builds and runs unchanged. It is a thin layer
 * over waymark/control.h, which new code may prefer: its functions return
 * errors, where some of these print and exit, as QEMU's do, or have the program
 * print (waymark_set_host()).
 *
 * ID stands for TRACE_<NAME>; trace_event_get_state() and its like are in waymark/state.h,
 * which the header of each group includes. Unless it is said otherwise, any thread may call
 * these, no signal handler may, and an event pointer is valid until the object
 * that declares the event is unloaded. A program need not call any of them:
 * WAYMARK_TRACE works without.
 *
 * Where releases of QEMU differ, the signatures are those of its latest, with
 * trace_event_iter_init() of 5.0 besides. In 5.0, trace_opt_parse() returned the
 * file's name and trace_init_file() took it: C cannot offer both forms, so such a
 * program drops the variable in between.
 *
 * Events that are declared `disable`, or generated for `nop` only, are not
 * there at run time: they are not listed and no name finds them.
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

/* Over those whose name matches (`*`, `?`, `/REGEX/`); `pattern` must outlive the iterator. */
void trace_event_iter_init_pattern(TraceEventIter *iter, const char *pattern);

/*
 * Over those of one group: here, all events of one program or shared object,
 * counted from 0 in the order of loading; a number is not used twice.
 */
void trace_event_iter_init_group(TraceEventIter *iter, size_t group_id);

/* QEMU up to 5.0: all events where `pattern` is NULL. */
void trace_event_iter_init(TraceEventIter *iter, const char *pattern);

/* The next event, NULL at the end. Objects may be loaded and unloaded meanwhile. */
TraceEvent *trace_event_iter_next(TraceEventIter *iter);

/* The first event of exactly that name, NULL when there is none. */
TraceEvent *trace_event_name(const char *name);

/* Whether `str` is a pattern rather than a name: has a `*` or `?`, or begins with a `/`. */
bool trace_event_is_pattern(const char *str);

/*
 * The event's number in recorded traces of this process, from 1; given to it
 * now if it has none. 0 when ids (65535) or memory ran out, or `ev` is NULL.
 */
uint32_t trace_event_get_id(TraceEvent *ev);

/* The event's name, "" for NULL. Also for signal handlers. */
const char *trace_event_get_name(TraceEvent *ev);

/* Whether it was generated for any backend. Also for signal handlers. */
bool trace_event_get_state_static(TraceEvent *ev);

/* Whether any backend is on for it now. Also for signal handlers. */
bool trace_event_get_state_dynamic(TraceEvent *ev);

/*
 * Switches all backends of an event on or off; idempotent. Depends on a backend
 * (ctf, simple, log): for an event that has none it warns once on standard
 * error and goes on.
 */
void trace_event_set_state_dynamic(TraceEvent *ev, bool state);
void trace_event_set_state_dynamic_init(TraceEvent *ev, bool state);

/*
 * Events that are declared `vcpu`, as QEMU 2.7 to 8.0 has them. A CPU is the pointer that their
 * calls pass, of whatever type. waymark/vcpu.h says more, and tells of errors.
 */

/* trace_event_get_state() for one vCPU. Also for signal handlers. */
#define trace_event_get_vcpu_state(cpu, id) \
	((id##_ENABLED) && (id##_VCPU_STATE(cpu) & ~(0u | WAYMARK_OUTSIDE_BACKENDS)) != 0)

/*
 * Tells of a vCPU, which gets the lowest index that is free: hosts that have indices of their own
 * call waymark_vcpu_init(), which says what events the new one has: not, as in QEMU, those that are
 * on for any other. Warns once on standard error where it cannot. Takes one out again.
 */
void trace_init_vcpu(void *cpu);
void trace_fini_vcpu(void *cpu);

/* Whether any backend is on for it on that vCPU now. Also for signal handlers. */
bool trace_event_get_vcpu_state_dynamic(const void *cpu, TraceEvent *ev);

/*
 * Switches it on or off for one vCPU; idempotent. Where the vCPU was not told of, or the event is
 * not declared `vcpu`, warns once on standard error and goes on.
 */
void trace_event_set_vcpu_state_dynamic(const void *cpu, TraceEvent *ev, bool state);

/* Whether it is declared `vcpu`; false for NULL. Also for signal handlers. */
bool trace_event_is_vcpu(TraceEvent *ev);

/* What trace_event_get_vcpu_id() says of other events, and of NULL. */
#define TRACE_VCPU_EVENT_NONE ((uint32_t)-1)

/*
 * The event's number among those declared `vcpu`, from 0, in the order of registration; objects
 * that are unloaded make the later ones less. How many there are.
 */
uint32_t trace_event_get_vcpu_id(TraceEvent *ev);
uint32_t trace_get_vcpu_event_count(void);

/*
 * Makes the backends ready. Returns true; nothing depends on its being called.
 * Kept so that a program may call it, after it became a daemon, as in QEMU.
 */
bool trace_init_backends(void);

/*
 * Opens the file that `-trace file=` named, after the program became a daemon.
 * It is that of the first of ctf, simple, log that the loaded objects were built
 * with. Where file= was given and there is none, or the file cannot be opened, prints the reason on
 * standard error and exits with status 1. Events since trace_opt_parse() are in it, also those
 * of processes that forked since, see waymark-qemu(3).
 */
void trace_init_file(void);

/* Prints the names of all events, one a line, in the order of registration. */
void trace_list_events(FILE *f);

/*
 * Takes what `-d trace:` is given: switches events on, or off with a `-` before the
 * name or pattern. For `log` alone where the loaded objects were built with it, else
 * for all their backends: log lines were asked for, and no trace. `help` and
 * `?` print the list of events on standard output and exit with status 0. A
 * name that no event has is warned about; a pattern is not. Both stay in force
 * for objects that are loaded later.
 */
void trace_enable_events(const char *line_buf);

/*
 * Takes the argument of one -trace option, see waymark-trace(7). May be called
 * for each of several. On a bad option prints the reason and exits with status
 * 1; `help` prints the list of events and exits with status 0. Names and
 * patterns that no event has are warned about, and backends that no loaded event
 * was built with. A `file=` is opened by trace_init_file(), the last one given;
 * the other keys take effect at once.
 */
void trace_opt_parse(const char *optarg);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
