/* SPDX-License-Identifier: MIT */
/* See declare.h. */
#include "rt/control/declare.h"
#include "rt/control/init.h"
#include "rt/event/registry.h"
#include "rt/event/state.h"
#include "rt/host/lock.h"
#include "rt/ctf/control.h"
#include "rt/sink/sink.h"
#include "rt/text/hitrace.h"

static void prepare_for(unsigned int backends)
{
	waymark_init_warn(backends);
	if (backends & WAYMARK_HITRACE) {
		waymark_hitrace_load();
	}
}

/* The backends for which something is done before events are on. */
static unsigned int prepared(void)
{
	return WAYMARK_HITRACE | waymark_init_warns_of();
}

void waymark_declare_rules(struct waymark_rules *rules)
{
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
