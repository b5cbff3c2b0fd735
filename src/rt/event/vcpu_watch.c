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

/* Calls of watchers that run, without the lock: a watcher's end waits for them. */
static unsigned int running;
static pthread_cond_t none_runs = PTHREAD_COND_INITIALIZER;

void waymark_vcpu_set_watch(void (*changed)(void *cpu, void *opaque), void *opaque)
{
	watch = (struct watch){ changed, opaque };
	while (running > 0) {
		waymark_lock_wait(&none_runs);
	}
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

static void tell(const struct watch *told, const struct change *done)
{
	told->changed(done->is_any ? NULL : done->cpu, told->opaque);
	waymark_lock();
	running--;
	if (running == 0) {
		pthread_cond_broadcast(&none_runs);
	}
	waymark_unlock();
}

void waymark_vcpu_unlock(void)
{
	struct watch told = watch;
	struct change done = change;
	bool tells = told.changed && done.is;

	change = (struct change){ 0 };
	running += tells;
	waymark_unlock();
	if (tells) {
		tell(&told, &done);
	}
}

/* The threads that ran and waited are not there. */
static void in_child(void)
{
	running = 0;
	none_runs = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

__attribute__((constructor)) static void watch_follows_forks(void)
{
	pthread_atfork(NULL, NULL, in_child);
}
