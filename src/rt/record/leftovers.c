/* SPDX-License-Identifier: MIT */
/*
 * Trims and moves leftovers: see leftover.h. This is done by a separate thread, because a trace on
 * a slow disk, or on a file system that hangs, must not delay the writer. The thread ends after the
 * last file; a kill loses only its work. Several processes share the work, by the locks on the
 * files.
 */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/error.h"
#include "rt/host/file.h"
#include "rt/host/open.h"
#include "rt/host/thread.h"
#include "rt/record/buffer.h"
#include "rt/record/leftover.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"

/* The default budget: a share of the file system, at most BUDGET_MAX bytes. */
#define BUDGET_SHARE 16u
#define BUDGET_MAX (UINT64_C(256) << 20)

/* The most leftovers that one round chooses, the oldest. */
#define CHOSEN_MAX 64u

/* Lower priority than the program's own threads, but enough to run on a busy machine. */
#define NICE 10

/* Relaxed: read when recording begins. */
static uint64_t wanted_budget = RECORDER_LEFTOVERS_DEFAULT;

void waymark_recorder_set_leftovers(uint64_t bytes)
{
	__atomic_store_n(&wanted_budget, bytes, __ATOMIC_RELAXED);
}

static uint64_t leftovers(void)
{
	return __atomic_load_n(&wanted_budget, __ATOMIC_RELAXED);
}

struct choice {
	uint64_t seen_ns; /* when its process last read the clocks */
	char name[LEFTOVER_NAME_BYTES];
};

/* Mapped, because the thread's stack is small. */
struct sweep {
	struct process *process;
	int folder;
	uint64_t budget;
	uint64_t total; /* bytes that stay */
	int why; /* errno of the first one that could not be moved */
	struct choice tried; /* the last one tried; so were all before it */
	uint32_t count;
	struct choice oldest[CHOSEN_MAX]; /* after `tried`, in order */
	struct leftover leftover;
};

static bool is_name(const char *name)
{
	const char *first = strrchr(BUFFER_FILE_PREFIX, '/') + 1;
	size_t n = strlen(first);

	return strncmp(name, first, n) == 0 && strspn(name + n, "0123456789abcdef") == 32 &&
	       !name[n + 32];
}

/* Opens the folder of buffers; returns -1 if it does not exist. */
static int open_folder(char *path)
{
	const char *prefix = waymark_buffer_prefix();
	size_t length = (size_t)(strrchr(prefix, '/') - prefix);

	memcpy(path, prefix, length);
	path[length] = '\0';
	return waymark_open(length ? path : "/", O_RDONLY | O_DIRECTORY, 0);
}

struct visit {
	struct sweep *sweep;
	bool (*look)(struct sweep *s, const char *name);
};

static bool visit_buffer(void *data, const char *name)
{
	const struct visit *v = data;

	return !is_name(name) || v->look(v->sweep, name);
}

/* Calls `look` for each file name of a buffer, until it returns false. */
static void each_name(struct sweep *s, bool (*look)(struct sweep *s, const char *name))
{
	directory_each(s->folder, visit_buffer, &(struct visit){ s, look });
}

static bool is_before(const struct choice *a, const struct choice *b)
{
	return a->seen_ns < b->seen_ns ||
	       (a->seen_ns == b->seen_ns && strcmp(a->name, b->name) < 0);
}

/* Adds the open leftover to the oldest ones not tried yet, if it is among these. */
static void choose(struct sweep *s)
{
	struct choice c = { .seen_ns = s->leftover.header.now.realtime_ns };
	uint32_t at = s->count;

	strcpy(c.name, s->leftover.name);
	while (at > 0 && is_before(&c, &s->oldest[at - 1])) {
		at--;
	}
	if (at == CHOSEN_MAX || !is_before(&s->tried, &c)) {
		return;
	}
	s->count += s->count < CHOSEN_MAX;
	memmove(&s->oldest[at + 1], &s->oldest[at], (s->count - 1 - at) * sizeof(c));
	s->oldest[at] = c;
}

static bool move(struct sweep *s)
{
	int why = waymark_leftover_move(&s->leftover);

	s->why = s->why ? s->why : why;
	return !why;
}

static bool look_after(struct sweep *s, const char *name)
{
	struct leftover *l = &s->leftover;

	if (waymark_leftover_open(l, s->folder, name)) {
		return true;
	}
	waymark_leftover_trim(l);
	/*
	 * The process left it before an exec: a loop of execs must not fill the memory. Or it
	 * belongs to a process of another pid namespace, which is dead as well.
	 */
	bool is_of_this_pid = l->header.pid == (uint32_t)getpid();

	if (!is_of_this_pid || !move(s)) {
		s->total += l->bytes;
		choose(s);
	}
	waymark_leftover_close(l);
	return true;
}

/* Moves the oldest first, until the rest is within the budget. */
static void move_oldest(struct sweep *s)
{
	for (uint32_t i = 0; i < s->count && s->total > s->budget; i++) {
		struct leftover *l = &s->leftover;

		s->tried = s->oldest[i];
		if (waymark_leftover_open(l, s->folder, s->tried.name) == 0) {
			s->total -= move(s) ? l->bytes : 0;
			waymark_leftover_close(l);
		}
	}
}

static uint64_t default_budget(int folder)
{
	struct statfs fs;
	uint64_t share =
		waymark_statfs(folder, &fs) == 0 && fs.f_blocks > 0 /* 0: without a limit */
			? (uint64_t)fs.f_blocks * (uint64_t)fs.f_bsize / BUDGET_SHARE
			: BUDGET_MAX;

	return share < BUDGET_MAX ? share : BUDGET_MAX;
}

static uint64_t budget(int folder)
{
	uint64_t set = leftovers();

	return set == RECORDER_LEFTOVERS_DEFAULT ? default_budget(folder) : set;
}

static void sweep(struct sweep *s)
{
	char spare[REASON_BYTES];
	bool more;

	s->budget = budget(s->folder);
	do {
		s->total = s->count = 0;
		each_name(s, look_after);
		more = s->count == CHOSEN_MAX;
		move_oldest(s);
	} while (more && s->total > s->budget);
	if (s->total > s->budget && s->why) {
		waymark_notice(s->process,
			"%llu KiB of memory of killed processes stay: they cannot be moved into "
			"their traces: %s; 'waymark recover --list' shows them",
			(unsigned long long)(s->total >> 10), waymark_reason(s->why, spare));
	}
}

/* Returns a sweep with the folder open; NULL if there is no folder, or leftovers= is off. */
static struct sweep *begin(void)
{
	struct sweep *s = MAP_FAILED;

	if (leftovers() != RECORDER_LEFTOVERS_OFF && !getauxval(AT_SECURE)) {
		s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);
	}
	if (s == MAP_FAILED) {
		return NULL;
	}
	madvise(s, sizeof(*s), MADV_DONTFORK);
	s->leftover.fd = -1;
	s->folder = open_folder(s->leftover.metadata);
	if (s->folder < 0) {
		munmap(s, sizeof(*s));
		return NULL;
	}
	return s;
}

static void end(struct sweep *s)
{
	waymark_close(s->folder);
	munmap(s, sizeof(*s));
}

static void *leftovers_main(void *arg)
{
	struct sweep *s = arg;

	waymark_thread_begin();
	prctl(PR_SET_NAME, "waymark-left");
	syscall(SYS_setpriority, PRIO_PROCESS, syscall(SYS_gettid), NICE);
	sweep(s);
	end(s);
	return NULL;
}

/* Returns the memory that a file takes; 0 if it is not a file of this user. */
static uint64_t bytes_of(const struct sweep *s, const char *name)
{
	struct stat st;

	return fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
			       st.st_uid == geteuid()
		       ? (uint64_t)st.st_blocks * LEFTOVER_BLOCK_BYTES
		       : 0;
}

/* True if the file belongs to this process. */
static bool is_own(const struct sweep *s, const char *name)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		const struct buffer *b = recorder_buffer(&s->process->recorders[k]);

		if (b && b->is_file && strcmp(strrchr(b->path, '/') + 1, name) == 0) {
			return true;
		}
	}
	return false;
}

static bool find_others(struct sweep *s, const char *name)
{
	s->total = is_own(s, name) ? 0 : bytes_of(s, name);
	return !s->total;
}

void waymark_leftovers_begin(struct process *p)
{
	struct sweep *s = begin();

	if (!s) {
		return;
	}
	s->process = p;
	each_name(s, find_others);
	if (!s->total || waymark_thread_start(leftovers_main, s)) {
		end(s);
	}
}

static bool add(struct sweep *s, const char *name)
{
	s->total += bytes_of(s, name);
	return true;
}

static bool add_dead(struct sweep *s, const char *name)
{
	if (waymark_leftover_open(&s->leftover, s->folder, name) == 0) {
		s->total += s->leftover.bytes;
		waymark_leftover_close(&s->leftover);
	}
	return true;
}

bool waymark_leftovers_are_too_many(void)
{
	struct sweep *s = begin();

	if (!s) {
		return false;
	}
	uint64_t limit = budget(s->folder) + default_budget(s->folder);

	each_name(s, add);
	if (s->total > limit) { /* the memory of living processes does not count */
		s->total = 0;
		each_name(s, add_dead);
	}
	bool result = s->total > limit;

	end(s);
	return result;
}
