/* SPDX-License-Identifier: MIT */
/*
 * Makes, claims and gives back the buffers of a jail. A process locks the first byte of a buffer's
 * file before it claims the buffer, so a buffer that is claimed but not locked belongs to a dead
 * process. The descriptors stay open for these locks. If the program has closed one all the same,
 * or in a vfork's child, which does not have its parent's locks, the header notes that there is no
 * lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/uuid.h"
#include "rt/host/file.h"
#include "rt/host/futex.h"
#include "rt/host/open.h"
#include "rt/record/jail.h"

/* Size of each process's buffer without buffer=; it is allocated as a whole. */
#define BUFFER_DEFAULT (UINT64_C(16) << 20)

/* How long a process waits for the buffer of an ended process; less than BEGIN_WAIT_NS. */
#define RENEWAL_WAIT_NS UINT64_C(900000000)
#define RENEWAL_LOOK_NS UINT64_C(5000000)

/* Above the descriptors that programs choose themselves, if the limit allows it. */
#define DESCRIPTOR_LOW 200

/* Written before the release of `count`; `is_taken` is set by a process that claims the buffer. */
static struct jailed {
	struct buffer *buffer;
	uintptr_t identity; /* of the buffer's file */
	int fd;
	uint32_t is_taken; /* by this process or one that forked it, so not mapped in later forks */
} jailed[WAYMARK_JAIL_MAX];

/* By release, once; 0: there is no jail. */
static uint32_t count;

bool waymark_jail_is_on(void)
{
	return __atomic_load_n(&count, __ATOMIC_ACQUIRE) > 0;
}

static int open_high(char *path, bool nameless)
{
	int fd = nameless ? waymark_buffer_open_nameless(path)
			  : waymark_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_LOW);

	if (high < 0) {
		return fd;
	}
	waymark_close(fd);
	return high;
}

/* Allocates all of the memory, so that no store can fail later. */
static struct buffer *map_whole(int fd, uint64_t bytes)
{
	if (bytes > waymark_buffer_file_limit()) {
		errno = EFBIG;
		return NULL;
	}
	if (ftruncate(fd, (off_t)bytes) || waymark_fallocate(fd, bytes) ||
		flock(fd, LOCK_SH | LOCK_NB)) {
		return NULL;
	}
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void begin_header(struct buffer *b, const struct jail_wish *wish,
	const struct buffer_place *place, uint64_t bytes)
{
	struct buffer_jail *j = &b->file.jail;

	b->is_file = true;
	strcpy(b->path, place->path);
	j->on = 1;
	j->family = (uint32_t)getpid();
	j->unlocked = 1;
	j->is_named = wish->is_named;
	j->text_offset = waymark_buffer_tables_bytes(bytes);
	j->text_room = wish->text_bytes;
	j->stacks_offset = offsetof(struct buffer, free);
	j->subbufs_offset = offsetof(struct buffer, subbufs);
	strncpy(j->base, wish->base, sizeof(j->base) - 1);
	waymark_buffer_begin_file(b, place, bytes, 0);
	b->whole.ready = b->units;
}

static int forget_file(struct jailed *j, uint64_t bytes, int why)
{
	if (j->buffer) {
		munmap(j->buffer, bytes);
	}
	waymark_close(j->fd);
	return why;
}

/* Makes a buffer in its file, j->fd. Returns 0; or an errno, and closes the file. */
static int fill_file(struct jailed *j, const struct jail_wish *wish,
	const struct buffer_place *place, uint64_t bytes)
{
	struct stat st;

	j->buffer = map_whole(j->fd, bytes);
	if (!j->buffer || waymark_stat(j->fd, &st)) {
		return forget_file(j, bytes, errno);
	}
	j->identity = identity_of(&st);
	begin_header(j->buffer, wish, place, bytes);
	return 0;
}

/* Not an errno: the file must be created with a name. */
#define NEEDS_NAME (-1)

/* True if open(2) failed because the directory's file system or the kernel lacks O_TMPFILE. */
static bool has_no_nameless(int why)
{
	return why == EOPNOTSUPP || why == EISDIR || why == ENOENT;
}

static int make_nameless(struct jailed *j, const struct jail_wish *wish,
	const struct buffer_place *place, uint64_t bytes)
{
	j->fd = open_high(place->path, true);
	if (j->fd < 0) {
		return has_no_nameless(errno) ? NEEDS_NAME : errno;
	}
	int why = fill_file(j, wish, place, bytes);

	if (why || waymark_buffer_give_name(j->fd, place->path)) {
		return why;
	}
	return forget_file(j, bytes, NEEDS_NAME); /* there is no /proc */
}

static int make_named(struct jailed *j, const struct jail_wish *wish,
	const struct buffer_place *place, uint64_t bytes)
{
	j->fd = open_high(place->path, false);
	if (j->fd < 0) {
		return errno;
	}
	int why = fill_file(j, wish, place, bytes);

	if (why) {
		syscall(SYS_unlinkat, AT_FDCWD, place->path, 0);
	}
	return why;
}

/*
 * Makes a buffer; returns 0 or an errno. Allocating it takes long. If the system has nameless files
 * and /proc, a kill meanwhile leaves nothing behind.
 */
static int make(struct jailed *j, const struct jail_wish *wish)
{
	static char path[BUFFER_FILE_PATH_BYTES]; /* one thread makes all of them */
	struct buffer_place place = {
		.directory = wish->base, .path = path, .text_bytes = wish->text_bytes
	};
	uint64_t bytes = waymark_buffer_bytes(BUFFER_DEFAULT);

	if (syscall(SYS_getrandom, place.uuid, sizeof(place.uuid), 0) != sizeof(place.uuid)) {
		return errno;
	}
	uuid_mark_random(place.uuid);
	if (!waymark_buffer_shared_path(&place)) {
		return ENAMETOOLONG;
	}
	bytes = (bytes + wish->text_bytes + BUFFER_UNIT - 1) / BUFFER_UNIT * BUFFER_UNIT;
	int why = make_nameless(j, wish, &place, bytes);

	return why == NEEDS_NAME ? make_named(j, wish, &place, bytes) : why;
}

int waymark_jail_make(const struct jail_wish *wish)
{
	struct process *p = waymark_process();
	uint32_t made = 0;
	int why = p ? 0 : ENOMEM;

	while (!why && made < wish->count) {
		why = make(&jailed[made], wish);
		made += !why;
	}
	while (why && made > 0) {
		waymark_close(jailed[--made].fd);
		waymark_buffer_destroy(jailed[made].buffer, true);
	}
	if (!why) {
		p->is_first = 1;
		__atomic_store_n(&count, made, __ATOMIC_RELEASE);
	}
	return why;
}

static bool lock(int fd, short type)
{
	struct flock l = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = BUFFER_LOCK_OWNER, .l_len = 1
	};

	return fcntl(fd, F_SETLK, &l) == 0;
}

static bool is_ours(const struct jailed *j)
{
	struct stat st;

	return waymark_stat(j->fd, &st) == 0 && identity_of(&st) == j->identity;
}

/* Returns false if another process has the buffer, or is about to get it. */
static bool claim(struct process *p, struct jailed *j)
{
	uint32_t none = BUFFER_FREE;
	struct buffer_jail *header = &j->buffer->file.jail;

	if (__atomic_load_n(&header->claim, __ATOMIC_ACQUIRE) != BUFFER_FREE) {
		return false;
	}
	bool can_lock = !process_is_borrowed(p) && is_ours(j);

	if (can_lock && !lock(j->fd, F_WRLCK)) {
		return false;
	}
	if (!__atomic_compare_exchange_n(&header->claim, &none, BUFFER_CLAIMED, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		if (can_lock) {
			lock(j->fd, F_UNLCK);
		}
		return false;
	}
	header->unlocked = !can_lock;
	__atomic_store_n(
		&j->buffer->file.pid, __atomic_load_n(&p->pid, __ATOMIC_RELAXED), __ATOMIC_RELEASE);
	header->is_first = p->is_first;
	header->waiting = 0;
	waymark_buffer_renew(j->buffer);
	return true;
}

static struct buffer *claim_any(struct process *p)
{
	for (uint32_t i = 0; i < count; i++) {
		struct jailed *j = &jailed[i];

		if (__atomic_load_n(&j->is_taken, __ATOMIC_RELAXED) || !claim(p, j)) {
			continue;
		}
		/*
		 * Set before forks no longer inherit the mapping, so that their copy of this shows
		 * it.
		 */
		__atomic_store_n(&j->is_taken, 1, __ATOMIC_RELEASE);
		waymark_buffer_set_clock(j->buffer, waymark_clock_pair());
		j->buffer->file.begin = j->buffer->file.now;
		j->buffer->state = NULL;
		return j->buffer;
	}
	return NULL;
}

/*
 * True if the buffer's process is dead, so that a drain will give the buffer back, or has done so.
 */
static bool is_hope(const struct jailed *j)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = BUFFER_LOCK_OWNER, .l_len = 1
	};
	const struct buffer_jail *header = &j->buffer->file.jail;

	if (__atomic_load_n(&j->is_taken, __ATOMIC_RELAXED)) {
		return false; /* not mapped in this process */
	}
	return __atomic_load_n(&header->claim, __ATOMIC_ACQUIRE) == BUFFER_FREE ||
	       (!__atomic_load_n(&header->unlocked, __ATOMIC_RELAXED) && is_ours(j) &&
		       fcntl(j->fd, F_GETLK, &l) == 0 && l.l_type == F_UNLCK);
}

static bool is_any_hope(void)
{
	for (uint32_t i = 0; i < count; i++) {
		if (is_hope(&jailed[i])) {
			return true;
		}
	}
	return false;
}

struct buffer *waymark_jail_claim(struct process *p, bool waits)
{
	uint64_t deadline = waymark_clock_ns() + RENEWAL_WAIT_NS;
	struct buffer *b = claim_any(p);

	while (!b && waits && is_any_hope() && waymark_clock_ns() < deadline) {
		futex_sleep(RENEWAL_LOOK_NS);
		b = claim_any(p);
	}
	return b;
}

void waymark_jail_show(struct buffer *b)
{
	__atomic_store_n(&b->file.jail.claim, BUFFER_RECORDS, __ATOMIC_RELEASE);
}

static struct jailed *find(const struct buffer *b)
{
	for (uint32_t i = 0; i < count; i++) {
		if (jailed[i].buffer == b) {
			return &jailed[i];
		}
	}
	return NULL;
}

/*
 * Unlocks the buffer. It is not claimed again, because its content is of no use to another process.
 */
void waymark_jail_unclaim(struct buffer *b)
{
	struct jailed *j = find(b);

	if (j && is_ours(j)) {
		lock(j->fd, F_UNLCK);
	}
}

void waymark_jail_look(struct buffer *b)
{
	const struct jailed *j = find(b);

	if (j && !b->file.jail.unlocked && !is_ours(j)) {
		__atomic_store_n(&b->file.jail.unlocked, 1, __ATOMIC_RELEASE);
	}
}

void waymark_jail_end(struct process *p)
{
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		struct buffer *b = recorder_buffer(&p->recorders[k]);

		if (b && b->file.jail.on && !process_is_borrowed(p)) {
			waymark_jail_look(b);
			waymark_buffer_set_clock(b, waymark_clock_pair());
			__atomic_store_n(&b->file.jail.ended, 1, __ATOMIC_RELEASE);
		}
	}
}

size_t waymark_jail_descriptors(int *fds)
{
	for (uint32_t i = 0; i < count; i++) {
		fds[i] = jailed[i].fd;
	}
	return count;
}
