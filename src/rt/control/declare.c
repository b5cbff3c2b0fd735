/* SPDX-License-Identifier: MIT */
/* See declare.h. */
#include "rt/control/declare.h"
#include "rt/event/registry.h"
#include "rt/host/lock.h"
#include "rt/sink/sink.h"
#include "rt/text/hitrace.h"

static void load_for(unsigned int backends)
{
	if (backends & WAYMARK_HITRACE) {
		waymark_hitrace_load();
	}
}

void waymark_declare_rules(struct waymark_rules *rules)
{
	if (waymark_ctf_has_begun()) {
		waymark_rules_identify(rules, WAYMARK_CTF);
		waymark_ctf_declare_now();
	}
	load_for(waymark_rules_want(rules, WAYMARK_HITRACE) ? WAYMARK_HITRACE : 0);
}

void waymark_declare_object(struct waymark_object *object)
{
	if (waymark_ctf_has_begun()) {
		waymark_rules_identify_in(object, WAYMARK_CTF);
		waymark_ctf_declare_now();
	}
	load_for(waymark_rules_want_in(object, WAYMARK_HITRACE) ? WAYMARK_HITRACE : 0);
}

void waymark_declare_identified(unsigned int backends)
{
	if (waymark_ctf_has_begun()) {
		waymark_ctf_declare_now();
	}
	load_for(backends);
}

void waymark_declare_event(struct waymark_event *event, unsigned int backends)
{
	backends &= event->backends;
	if (backends & WAYMARK_CTF && waymark_ctf_has_begun()) {
		waymark_lock();
		waymark_entry_id(event);
		waymark_unlock();
		waymark_ctf_declare_now();
	}
	load_for(backends);
}
