/* SPDX-License-Identifier: MIT */
/* Counts of lost events by text backend, and the lines at exit that report them. */
#include <errno.h>
#include <stddef.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/host/message.h"
#include "rt/record/process.h"
#include "rt/text/backends.h"
#include "rt/text/loss.h"

struct losses {
	waymark_count counts[LOSSES]; /* relaxed */
};

/* NULL: nothing was lost yet. Set by release, once; survives forks, while its pages are wiped. */
static struct losses *wiped;

/* Used if there is no memory; relaxed as the other counts. A fork's child inherits these counts. */
static struct losses kept;

/* Threads and signal handlers may race; one mapping stays. */
static COLD struct losses *map_losses(void)
{
	int saved = errno;
	struct losses *none = NULL;
	struct losses *l = waymark_wiped_map(sizeof(*l));

	if (!l) {
		l = &kept;
	} else if (!__atomic_compare_exchange_n(
			   &wiped, &none, l, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		waymark_wiped_unmap(l, sizeof(*l));
		l = none;
	}
	errno = saved;
	return l;
}

void waymark_loss_add(enum loss which, uint64_t count)
{
	struct losses *l = __atomic_load_n(&wiped, __ATOMIC_ACQUIRE);

	if (!l) {
		l = map_losses();
	}
	__atomic_fetch_add(&l->counts[which], count, __ATOMIC_RELAXED);
}

uint64_t waymark_loss(enum loss which)
{
	const struct losses *l = __atomic_load_n(&wiped, __ATOMIC_ACQUIRE);

	return (l ? __atomic_load_n(&l->counts[which], __ATOMIC_RELAXED) : 0) +
	       __atomic_load_n(&kept.counts[which], __ATOMIC_RELAXED);
}

uint64_t waymark_loss_take(enum loss which)
{
	struct losses *l = __atomic_load_n(&wiped, __ATOMIC_ACQUIRE);

	return (l ? __atomic_exchange_n(&l->counts[which], 0, __ATOMIC_RELAXED) : 0) +
	       __atomic_exchange_n(&kept.counts[which], 0, __ATOMIC_RELAXED);
}

static void report(enum loss which, const char *backend, const char *what)
{
	uint64_t count = waymark_loss(which);

	if (count > 0) {
		waymark_message("%s: %llu %s", backend, (unsigned long long)count, what);
	}
}

__attribute__((destructor)) static void report_losses(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(waymark_text_backends); i++) {
		const struct text_backend_row *row = &waymark_text_backends[i];

		if (row->backend->lost) {
			report(row->loss, row->name, row->backend->lost);
		}
	}
	report(LOSS_SYSLOG_WITHHELD, "syslog", "messages were withheld by syslog.rate=");
}
