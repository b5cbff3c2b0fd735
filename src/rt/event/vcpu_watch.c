/* SPDX-License-Identifier: MIT */
/* Who is told of changes to events of translated code: outside of the lock, once for each call. */
#include "rt/event/vcpu_watch.h"
#include "rt/event/vcpu.h"
#include "rt/host/lock.h"

struct watch {
	void (*changed)(void *cpu, void *opaque);
	void *opaque;
};

struct change {
	bool is; /* there is one */
	bool is_any; /* of more than `cpu` */
	void *cpu;
};

/* Under the control lock; nothing is left of a change when that is free. */
static struct watch watch;
static struct change change;

void waymark_vcpu_set_watch(void (*changed)(void *cpu, void *opaque), void *opaque)
{
	watch = (struct watch){ changed, opaque };
}

void waymark_vcpu_note(const struct waymark_event *event, void *cpu)
{
	if (!(event->flags & WAYMARK_EVENT_EXEC)) {
		return;
	}
	change.is = true;
	change.is_any |= !cpu;
	change.cpu = cpu;
}

void waymark_vcpu_unlock(void)
{
	struct watch told = watch;
	struct change done = change;

	change = (struct change){ 0 };
	waymark_unlock();
	if (told.changed && done.is) {
		told.changed(done.is_any ? NULL : done.cpu, told.opaque);
	}
}
