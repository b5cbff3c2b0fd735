/* SPDX-License-Identifier: MIT */
/* See declare.h. */
#include "rt/control/declare.h"
#include "rt/event/registry.h"
#include "rt/host/lock.h"
#include "rt/sink/sink.h"

void waymark_declare_rules(struct waymark_rules *rules)
{
	if (waymark_ctf_has_begun()) {
		waymark_rules_identify(rules, WAYMARK_CTF);
		waymark_ctf_declare_now();
	}
}

void waymark_declare_object(struct waymark_object *object)
{
	if (waymark_ctf_has_begun()) {
		waymark_rules_identify_in(object, WAYMARK_CTF);
		waymark_ctf_declare_now();
	}
}

void waymark_declare_identified(void)
{
	if (waymark_ctf_has_begun()) {
		waymark_ctf_declare_now();
	}
}

void waymark_declare_event(struct waymark_event *event)
{
	if (waymark_ctf_has_begun()) {
		waymark_lock();
		waymark_entry_id(event);
		waymark_unlock();
		waymark_ctf_declare_now();
	}
}
