/* SPDX-License-Identifier: MIT */
/* See head.h. */
#include <errno.h>

#include "format/ctf_text.h"
#include "rt/ctf/head.h"
#include "rt/ctf/io.h"
#include "rt/record/clock.h"
#include "rt/record/recorder.h"

/* A rate measured for less than the first is rather measured since the program was loaded. */
#define RATE_NS UINT64_C(100000000)
#define RATE_NS_LEAST UINT64_C(1000000)

/* Reads a line of a small file of the kernel's. */
static void read_line(const char *path, char *line, size_t size)
{
	int fd = ctf_open(AT_FDCWD, path, O_RDONLY);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, line, size - 1);

	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	ctf_close(fd);
}

/* What the kernel calls us, and itself. */
struct names {
	char process[32];
	char boot[48];
	char host[65];
};

/* Of a program that goes to jail, read before; by release, once. */
static struct names kept;
static bool has_kept;

static void read_names(struct names *n, struct utsname *host)
{
	read_line("/proc/self/comm", n->process, sizeof(n->process));
	read_line("/proc/sys/kernel/random/boot_id", n->boot, sizeof(n->boot));
	n->host[0] = '\0';
	if (uname(host) == 0) {
		memcpy(n->host, host->nodename, sizeof(n->host));
	}
}

void waymark_ctf_names_keep(void)
{
	struct utsname host;

	read_names(&kept, &host);
	__atomic_store_n(&has_kept, true, __ATOMIC_RELEASE);
}

/* The clock as it is known now: measured since the trace's begin, or longer, or as it is said. */
static void find_clock(
	struct ctf_clock *c, const struct buffer_clock *begin, const struct buffer_clock *now)
{
	struct buffer_clock loaded = waymark_clock_loaded();

	c->freq = 0;
	if (now->monotonic_ns - begin->monotonic_ns >= RATE_NS) {
		c->freq = ctf_clock_freq(begin, now);
	} else if (loaded.monotonic_ns &&
		   now->monotonic_ns - loaded.monotonic_ns >= RATE_NS_LEAST) {
		c->freq = ctf_clock_freq(&loaded, now);
	}
	if (!c->freq) {
		c->freq = waymark_clock_nominal();
	}
	if (!c->freq) {
		c->freq = ctf_clock_freq(&loaded, now);
	}
	if (!c->freq) {
		c->freq = CTF_CLOCK_SECOND;
	}
	ctf_clock_place(c, begin);
}

void waymark_ctf_head_put(struct ctf_text *text, const struct ctf_trace *t,
	const struct buffer_clock *now, struct utsname *host)
{
	static const uint8_t none[16];
	struct ctf_text_trace head = {
		.pid = t->pid, .begin = t->begin, .end = *now, .ended = t->ended
	};
	struct names own;
	const struct names *n = &kept;

	if (!__atomic_load_n(&has_kept, __ATOMIC_ACQUIRE)) {
		read_names(&own, host);
		n = &own;
	}
	memcpy(head.uuid, t->uuid, sizeof(head.uuid));
	head.former = memcmp(t->former, none, sizeof(none)) ? t->former : NULL;
	head.overwrites = waymark_recorder_policy() == RECORDER_OVERWRITE;
	head.hostname = n->host;
	head.procname = *n->process ? n->process : program_invocation_short_name;
	head.boot_id = n->boot;
	find_clock(&head.clock, &t->begin, now);
	ctf_text_put_head(text, &head);
}
