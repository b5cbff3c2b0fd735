/* SPDX-License-Identifier: MIT */
/*
 * The functions of waymark/vcpu.h, over the registry and the sets of rt/event/vcpu.h; list.c makes
 * the lists. Events are switched on under the control lock, after the trace has declared them.
 * Called by the program and the monitor.
 */
#include <string.h>

#include "rt/control/declare.h"
#include "rt/event/pattern.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/event/vcpu.h"
#include "rt/host/error.h"
#include "rt/host/lock.h"

/* Returns the lowest free index; WAYMARK_VCPUS if there is none. */
static unsigned int free_index(void)
{
	unsigned int index = 0;

	while (index < WAYMARK_VCPUS && vcpu_is_taken(index)) {
		index++;
	}
	return index;
}

/*
 * Checks the arguments of waymark_vcpu_init(). Returns the index, or WAYMARK_VCPUS after an error.
 */
static unsigned int index_for(const void *cpu, unsigned int index, struct waymark_error *error)
{
	unsigned int wanted = index == WAYMARK_VCPU_NEXT ? free_index() : index;
	unsigned int own = waymark_vcpu_index(cpu);

	if (!cpu) {
		waymark_fail(error, "a vCPU cannot be NULL");
	} else if (own < WAYMARK_VCPUS) {
		waymark_fail(error, "vCPU %p is already registered, with index %u", cpu, own);
	} else if (wanted >= WAYMARK_VCPUS) {
		waymark_fail(error, "vCPU index %u is too large: the largest is %d", wanted,
			WAYMARK_VCPUS - 1);
	} else if (vcpu_is_taken(wanted)) {
		waymark_fail(
			error, "vCPU index %u is taken, by %p", wanted, waymark_vcpu_find(wanted));
	} else {
		return wanted;
	}
	return WAYMARK_VCPUS;
}

int waymark_vcpu_init(void *cpu, unsigned int index, struct waymark_error *error)
{
	error_clear(error);
	waymark_lock();
	unsigned int own = index_for(cpu, index, error);

	if (own < WAYMARK_VCPUS) {
		waymark_vcpu_inherit(own);
		waymark_vcpu_table_add(cpu, own);
	}
	waymark_unlock();
	return own < WAYMARK_VCPUS ? 0 : -1;
}

void waymark_vcpu_fini(void *cpu)
{
	waymark_lock();
	unsigned int index = waymark_vcpu_index(cpu);

	if (index < WAYMARK_VCPUS) {
		waymark_vcpu_table_remove(cpu, index);
		waymark_vcpu_leave(index);
	}
	waymark_unlock();
}

unsigned int waymark_vcpu_get_state(const void *cpu, const struct waymark_event *event)
{
	return waymark_vcpu_backends(event, cpu);
}

static bool is_vcpu(const struct waymark_event *event)
{
	return event->flags & WAYMARK_EVENT_VCPU;
}

/* Checks that an event can be switched for single vCPUs. Returns 0, or -1 with the reason. */
static int check_event(const struct waymark_event *event, struct waymark_error *error)
{
	if (!is_vcpu(event)) {
		return waymark_fail(error, "trace event '%s' is not declared vcpu", event->name);
	}
	return state_switchable(event) ? 0
				       : waymark_fail(error,
						 "trace event '%s' was built without a backend "
						 "that this process switches",
						 event->name);
}

static int switch_event(
	const void *cpu, struct waymark_event *event, bool on, struct waymark_error *error)
{
	unsigned int index = waymark_vcpu_index(cpu);

	if (index >= WAYMARK_VCPUS) {
		return waymark_fail(error, "there is no vCPU %p", cpu);
	}
	if (!waymark_vcpu_prepare(event, on)) {
		return waymark_fail(error, "trace event '%s' stays as it is: memory or ids ran out",
			event->name);
	}
	waymark_vcpu_switch(event, index, on);
	return 0;
}

int waymark_vcpu_set_state(
	const void *cpu, const struct waymark_event *event, bool on, struct waymark_error *error)
{
	/* Descriptors are const only for their users: the object itself can be changed. */
	struct waymark_event *own = (struct waymark_event *)event;

	error_clear(error);
	if (check_event(event, error) < 0) {
		return -1;
	}
	if (on) {
		waymark_declare_event(own, WAYMARK_ANY_BACKEND);
	}
	waymark_lock();
	int result = switch_event(cpu, own, on, error);

	waymark_registry_unlock();
	return result;
}

/* A change of the events that match a pattern. */
struct request {
	struct pattern pattern;
	unsigned int index;
	bool on;
	struct waymark_error *error;
};

typedef int event_fn(struct waymark_event *event, const struct request *r);

static int prepare_event(struct waymark_event *event, const struct request *r)
{
	return waymark_vcpu_prepare(event, r->on) ? 0 : -1;
}

static int apply_event(struct waymark_event *event, const struct request *r)
{
	waymark_vcpu_switch(event, r->index, r->on);
	return 0;
}

/* Calls `fn` for the events that match the request and can be switched. */
static int foreach_met(const struct request *r, event_fn *fn)
{
	int result = 0;

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (is_vcpu(*it) && state_switchable(*it) &&
				waymark_pattern_matches_text(&r->pattern, (*it)->name)) {
				result |= fn(*it, r);
			}
		}
	}
	return result;
}

/* Checks that a plain name is the name of an event that can be switched. */
static int check_name(const struct request *r)
{
	const char *name = r->pattern.text;
	struct waymark_error reason;
	int result = waymark_fail(&reason, "no trace event has the name '%s'", name);

	for (struct waymark_object *o = waymark_registry_first(); o; o = o->next) {
		registry_foreach_event(it, o)
		{
			if (result < 0 && strcmp((*it)->name, name) == 0) {
				result = check_event(*it, &reason);
			}
		}
	}
	return result < 0 ? waymark_fail(r->error, "%s", reason.text) : 0;
}

static int prepare(const struct request *r)
{
	if (r->index != WAYMARK_VCPU_LATER && !waymark_vcpu_find(r->index)) {
		return waymark_fail(r->error, "there is no vCPU with index %u", r->index);
	}
	if (r->pattern.kind == PATTERN_EXACT && check_name(r) < 0) {
		return -1;
	}
	return foreach_met(r, prepare_event) < 0
		       ? waymark_fail(r->error, "nothing is switched: memory or event ids ran out")
		       : 0;
}

static int prepare_only(const struct request *r)
{
	waymark_lock();
	int result = prepare(r);

	waymark_unlock();
	return result;
}

/* Declares the events in the trace before they can fire. Objects may register meanwhile. */
static int change(const struct request *r)
{
	if (r->on) {
		if (prepare_only(r) < 0) {
			return -1;
		}
		waymark_declare_identified(0); /* events declared `vcpu` are no scopes */
	}
	waymark_lock();
	int result = prepare(r);

	if (result == 0) {
		foreach_met(r, apply_event);
	}
	waymark_registry_unlock();
	return result;
}

int waymark_vcpu_set_states(
	unsigned int index, const char *pattern, bool on, struct waymark_error *error)
{
	struct request r = { .index = index, .on = on, .error = error };

	error_clear(error);
	if (*pattern == '\0') {
		return waymark_fail(error, "the name or pattern of an event is missing");
	}
	if (waymark_pattern_init(&r.pattern, pattern, error) < 0) {
		return -1;
	}
	int result = change(&r);

	waymark_pattern_fini(&r.pattern);
	return result;
}

void waymark_vcpu_watch(void (*changed)(void *cpu, void *opaque), void *opaque)
{
	waymark_lock();
	waymark_vcpu_set_watch(changed, opaque);
	waymark_unlock();
}
