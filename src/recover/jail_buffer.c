/* SPDX-License-Identifier: MIT */
/*
 * Accesses a jail's buffer, see recover/jail_buffer.h. The header is copied once and checked, so
 * that the process cannot change an offset between its check and its use.
 */
#include "recover/jail_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "format/ctf.h"
#include "format/packet.h"
#include "format/uuid.h"
#include "output/output.h"
#include "read/ctf/metadata.h"
#include "write/packet_file.h"

static bool is_within(uint64_t offset, uint64_t bytes, uint64_t end)
{
	return offset <= end && bytes <= end - offset && offset % sizeof(uint64_t) == 0;
}

/*
 * Reads the uuid from the file's name; a file that was moved and has another name has it in its
 * header.
 */
static void find_uuid(struct jail_buffer *a, const struct buffer_file *h)
{
	const char *digits = strrchr(a->path, '-');

	memcpy(a->uuid, h->uuid, sizeof(a->uuid));
	if (!digits || strspn(digits + 1, "0123456789abcdef") != 32 || digits[33]) {
		return;
	}
	for (int i = 0; i < 16; i++) {
		sscanf(digits + 1 + 2 * i, "%2hhx", &a->uuid[i]);
	}
}

/* Finds the parts of the file. Returns 0 or an errno. */
static int find_parts(struct jail_buffer *a)
{
	struct buffer_file h;

	memcpy(&h, a->file, sizeof(h));
	if (h.magic != BUFFER_FILE_MAGIC || !buffer_file_is_known(h.version)) {
		return EBADMSG;
	}
	if (!h.jail.on) {
		return ESRCH;
	}
	find_uuid(a, &h);
	a->units = (uint32_t)(a->bytes / BUFFER_UNIT);
	if (!is_within(h.jail.subbufs_offset, a->units * sizeof(*a->subbufs), a->bytes) ||
		!is_within(h.jail.stacks_offset, BUFFER_CLASSES * sizeof(*a->stacks), a->bytes) ||
		!is_within(h.jail.text_offset, h.jail.text_room, a->bytes)) {
		return EBADMSG;
	}
	a->subbufs = (void *)(a->map + h.jail.subbufs_offset);
	a->stacks = (void *)(a->map + h.jail.stacks_offset);
	a->text = (const char *)a->map + h.jail.text_offset;
	a->text_room = h.jail.text_room;
	return 0;
}

static int open_file(struct jail_buffer *a, const char *path)
{
	struct stat st;

	a->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (a->fd < 0 || fstat(a->fd, &st) != 0) {
		return errno;
	}
	a->bytes = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	if (a->bytes < sizeof(struct buffer_file)) {
		return EBADMSG;
	}
	void *map = mmap(NULL, a->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);

	if (map == MAP_FAILED) {
		return errno;
	}
	a->map = map;
	a->file = map;
	return find_parts(a);
}

int jail_buffer_open(struct jail_buffer *a, const char *path)
{
	*a = (struct jail_buffer){ .fd = -1, .path = xstrdup(path) };
	int error = open_file(a, path);

	if (error) {
		jail_buffer_close(a);
	}
	return error;
}

void jail_buffer_close(struct jail_buffer *a)
{
	if (a->map) {
		munmap(a->map, a->bytes);
	}
	if (a->fd >= 0) {
		close(a->fd);
	}
	free(a->path);
	*a = (struct jail_buffer){ .fd = -1 };
}

bool jail_buffer_is_cut(const struct jail_buffer *a)
{
	struct stat st;

	return fstat(a->fd, &st) != 0 || (uint64_t)st.st_size < a->bytes;
}

bool jail_buffer_lock(struct jail_buffer *a)
{
	struct flock l = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = BUFFER_LOCK_DRAIN, .l_len = 1
	};

	return fcntl(a->fd, F_OFD_SETLK, &l) == 0;
}

enum buffer_owner jail_buffer_owner(struct jail_buffer *a)
{
	return buffer_owner_look(a->fd, &a->pid);
}

void jail_buffer_base(const struct jail_buffer *a, char *path)
{
	snprintf(path, BUFFER_FILE_PATH_BYTES, "%.*s", BUFFER_FILE_PATH_BYTES - 1,
		a->file->jail.base);
}

void jail_buffer_directory(const struct jail_buffer *a, char *path)
{
	snprintf(path, BUFFER_FILE_PATH_BYTES, "%.*s", BUFFER_FILE_PATH_BYTES - 1,
		a->file->traces[0].directory);
}

uint64_t jail_buffer_text_bytes(const struct jail_buffer *a)
{
	uint64_t bytes = __atomic_load_n(&a->file->jail.text_bytes, __ATOMIC_ACQUIRE);

	return bytes < a->text_room ? bytes : a->text_room;
}

bool jail_buffer_is_closed(const struct jail_buffer *a, uint64_t offset)
{
	return __atomic_load_n(&a->subbufs[offset / BUFFER_UNIT].next, __ATOMIC_ACQUIRE) != 0;
}

void jail_buffer_free(struct jail_buffer *a, uint64_t offset)
{
	uint32_t unit = (uint32_t)(offset / BUFFER_UNIT);
	uint32_t size_class = a->subbufs[unit].size_class;
	struct buffer_jail *j = &a->file->jail;

	if (size_class >= BUFFER_CLASSES) {
		return; /* damaged: never reuse it */
	}
	struct packet_header *h = (void *)(a->map + unit * BUFFER_UNIT);

	__atomic_store_n(&h->magic, 0, __ATOMIC_RELAXED);
	buffer_stack_push(&a->stacks[size_class], a->subbufs, unit);
	/*
	 * Both sides are sequentially consistent: a waiting thread is woken, or reads the new
	 * count.
	 */
	__atomic_fetch_add(&j->room, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&j->waiting, __ATOMIC_SEQ_CST)) {
		syscall(SYS_futex, &j->room, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

void jail_buffer_beat(struct jail_buffer *a)
{
	__atomic_fetch_add(&a->file->jail.beats, 1, __ATOMIC_RELAXED);
}

/* Renames the file by that uuid. Returns false if it keeps its name. */
static bool rename_file(struct jail_buffer *a, const uint8_t uuid[16])
{
	const char *slash = strrchr(a->path, '/');
	char *path = xstrdup(a->path);
	char *end = strrchr(path, '-');

	if (!slash || !end || strlen(end) != 33) {
		free(path);
		return false;
	}
	for (int i = 0; i < 16; i++) {
		sprintf(end + 1 + 2 * i, "%02x", uuid[i]);
	}
	if (output_rename_new(a->path, path) != 0) {
		free(path);
		return false;
	}
	free(a->path);
	a->path = path;
	return true;
}

/*
 * Stores the uuid first: it shows processes that have the file open that the rest is another
 * process's.
 */
static void renew_header(struct buffer_file *h, const uint8_t uuid[16])
{
	memcpy(h->uuid, uuid, sizeof(h->uuid));
	__atomic_thread_fence(__ATOMIC_RELEASE);
	for (int i = 0; i < 2; i++) {
		memcpy(h->traces[i].uuid, uuid, sizeof(h->traces[i].uuid));
		memcpy(h->traces[i].directory, h->jail.base, sizeof(h->jail.base));
	}
	h->jail.staged = h->jail.ended = 0;
	h->jail.unlocked = 1; /* until a process claims it and takes its lock */
	h->pid = 0;
	__atomic_store_n(&h->jail.claim, BUFFER_FREE, __ATOMIC_RELEASE);
}

bool jail_buffer_renew(struct jail_buffer *a)
{
	uint8_t uuid[16];

	if (!buffer_owner_has_family(a->fd) || !buffer_owner_is_dead(a->fd) ||
		getrandom(uuid, sizeof(uuid), 0) != (ssize_t)sizeof(uuid)) {
		return false;
	}
	uuid_mark_random(uuid);
	/*
	 * From here on the buffer is empty: if this process is killed, the next drain continues
	 * here.
	 */
	__atomic_store_n(&a->file->jail.text_bytes, 0, __ATOMIC_RELEASE);
	if (!rename_file(a, uuid)) {
		return false;
	}
	memcpy(a->uuid, uuid, sizeof(uuid));
	renew_header(a->file, uuid);
	return true;
}

/* ---- The trace directory ---- */

/*
 * A directory is filled under a name with the buffer's uuid, and then renamed to its own name,
 * replacing nothing. If this process is killed meanwhile, the next one finds the directory by
 * either name and continues.
 */

#define NAMES_MAX 1000

/* The parts of a name. */
struct names {
	char folder[PATH_MAX];
	char first[NAME_MAX + 1]; /* of the first process's trace */
	uint32_t pid;
	bool is_first;
	bool is_named;
};

static void read_names(struct names *n, const struct jail_buffer *a, const char *place)
{
	char base[BUFFER_FILE_PATH_BYTES];
	char copy[BUFFER_FILE_PATH_BYTES];

	jail_buffer_base(a, base);
	memcpy(copy, base, sizeof(base));
	snprintf(n->folder, sizeof(n->folder), "%s", place ? place : dirname(copy));
	snprintf(n->first, sizeof(n->first), "%.255s", basename(base));
	n->pid = a->pid ? a->pid : a->file->pid;
	n->is_first = a->file->jail.is_first;
	n->is_named = a->file->jail.is_named;
}

/* Makes the `i`th name to try, from 0. Returns false if it is too long. */
static bool put_name(const struct names *n, char path[PATH_MAX], int i)
{
	char own[300];
	char number[16] = "";

	if (n->is_first) {
		snprintf(own, sizeof(own), "%s", n->first);
	} else if (n->is_named) {
		snprintf(own, sizeof(own), "%s.%" PRIu32, n->first, n->pid);
	} else {
		snprintf(own, sizeof(own), "trace-%" PRIu32 ".ctf", n->pid);
	}
	if (i > 0) {
		snprintf(number, sizeof(number), ".%d", i);
	}
	return snprintf(path, PATH_MAX, "%s/%s%s", n->folder, own, number) < PATH_MAX;
}

int jail_trace_append_metadata(const struct jail_buffer *a, int directory, bool *changed)
{
	uint64_t bytes = jail_buffer_text_bytes(a);
	int fd = openat(directory, CTF_METADATA, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	struct stat st;
	int error = fd < 0 || fstat(fd, &st) != 0 ? errno : 0;

	*changed = false;
	if (!error && (uint64_t)st.st_size < bytes) {
		uint64_t size = (uint64_t)st.st_size;

		error = packet_write_all(fd, a->text + size, bytes - size, size);
		*changed = true;
	}
	if (fd >= 0) {
		close(fd);
	}
	return error;
}

/* Changes the owner of a directory that root made to the process's user. */
static void give_to_owner(const struct jail_buffer *a, int directory)
{
	struct stat st;

	if (geteuid() == 0 && fstat(a->fd, &st) == 0 && st.st_uid != 0 &&
		fchown(directory, st.st_uid, st.st_gid) == 0) {
		fchownat(directory, CTF_METADATA, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
		fchownat(directory, CTF_INDEX, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW);
	}
}

static int make_temporary(const struct jail_buffer *a, const struct names *n, char path[PATH_MAX])
{
	int length = snprintf(path, PATH_MAX, "%s/.waymark-", n->folder);
	bool changed;

	if (length + 33 > PATH_MAX) {
		return ENAMETOOLONG;
	}
	for (int i = 0; i < 16; i++) {
		length += sprintf(path + length, "%02x", a->uuid[i]);
	}
	if (mkdir(path, 0777) != 0 && errno != EEXIST) {
		return errno;
	}
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (directory < 0) {
		return errno;
	}
	int error = mkdirat(directory, CTF_INDEX, 0777) != 0 && errno != EEXIST ? errno : 0;

	error = error ? error : jail_trace_append_metadata(a, directory, &changed);
	give_to_owner(a, directory);
	close(directory);
	return error;
}

/* True if the directory is the trace of this buffer. */
static bool is_there(const struct jail_buffer *a, const char *path)
{
	struct buffer_trace t;

	memcpy(t.uuid, a->uuid, sizeof(t.uuid));
	snprintf(t.directory, sizeof(t.directory), "%s", path);
	return ctf_trace_is_there(&t, NULL);
}

/* Copies the trace's name for the caller, and stores it in the buffer for readers. */
static void note_name(struct jail_buffer *a, const char *path, char *directory)
{
	strcpy(directory, path);
	for (int i = 0; i < 2; i++) {
		strcpy(a->file->traces[i].directory, path);
	}
	__atomic_store_n(&a->file->jail.staged, 1, __ATOMIC_RELEASE);
}

/* Finds a directory whose maker was killed before it stored the name. */
static bool find_named(struct jail_buffer *a, const struct names *n, char *directory)
{
	char path[PATH_MAX];

	for (int i = 0; i < NAMES_MAX && put_name(n, path, i); i++) {
		if (is_there(a, path)) {
			note_name(a, path, directory);
			return true;
		}
		if (access(path, F_OK) != 0) {
			break;
		}
	}
	return false;
}

/* True if the buffer names its trace; with a `place`, only one directly in that folder. */
static bool is_named_there(const struct jail_buffer *a, const char *place, char *directory)
{
	size_t length = place ? strlen(place) : 0;

	jail_buffer_directory(a, directory);
	return (!place || (strncmp(directory, place, length) == 0 && directory[length] == '/' &&
				  !strchr(directory + length + 1, '/'))) &&
	       is_there(a, directory);
}

/* Makes the directory under the first name that is free. */
static int make(struct jail_buffer *a, const char *place, char *directory)
{
	char temporary[PATH_MAX];
	char path[PATH_MAX];
	struct names n;

	read_names(&n, a, place);
	if (find_named(a, &n, directory)) {
		return 0;
	}
	int error = make_temporary(a, &n, temporary);

	if (error) {
		return error;
	}
	for (int i = 0; i < NAMES_MAX && put_name(&n, path, i); i++) {
		if (output_rename_new(temporary, path) == 0) {
			note_name(a, path, directory);
			return 0;
		}
		if (errno != EEXIST) {
			return errno;
		}
	}
	return ENAMETOOLONG;
}

int jail_trace_make(struct jail_buffer *a, const char *place, char *directory)
{
	int error = EAGAIN;

	if (a->file->jail.claim == BUFFER_RECORDS && jail_buffer_text_bytes(a) > 0) {
		if (a->file->jail.staged && is_named_there(a, place, directory)) {
			return 0;
		}
		error = make(a, place, directory);
	}
	if (error) {
		jail_buffer_base(a, directory);
	}
	return error;
}

int jail_trace_make_at(const char *path, const char *place, char *directory)
{
	struct jail_buffer a;
	int error = jail_buffer_open(&a, path);

	if (!error) {
		jail_buffer_owner(&a);
		error = jail_trace_make(&a, place, directory);
	}
	jail_buffer_close(&a);
	return error;
}
