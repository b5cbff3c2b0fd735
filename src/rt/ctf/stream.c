/* SPDX-License-Identifier: MIT */
/*
 * The open files of streams. A file ends behind a whole packet whenever no write is
 * under way: what a failed one left is cut off. Under the drain lock.
 */
#include <errno.h>

#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"

/* Closes what is still ours: the program may have given the numbers to files of its own. */
static void close_file(struct ctf_file *file)
{
	struct stat st;

	if (ctf_is_ours(file, file->fd, file->inode, &st)) {
		ctf_close(file->fd);
	}
	if (file->index_fd >= 0 && ctf_is_ours(file, file->index_fd, file->index_inode, &st)) {
		ctf_close(file->index_fd);
	}
	*file = (struct ctf_file){ 0 };
}

void waymark_ctf_fail(struct ctf_files *f, int error)
{
	__atomic_store_n(&f->error, error, __ATOMIC_RELAXED);
}

void waymark_ctf_turn(struct ctf_files *f, struct ctf_trace *trace)
{
	f->trace = trace;
	f->turn = 0;
	f->piece = 0;
	f->piece_bytes = 0;
	f->has_events = false;
	memset(f->open, 0, sizeof(f->open));
	waymark_ctf_fail(f, 0);
}

void waymark_ctf_pause(struct ctf_files *f)
{
	for (size_t i = 0; i < CTF_FILES; i++) {
		if (f->open[i].stream) {
			close_file(&f->open[i]);
		}
	}
}

/* The stream's file, else a free place, else that of the file which was not used for longest. */
static struct ctf_file *find_place(struct ctf_files *f, uint64_t stream)
{
	struct ctf_file *oldest = &f->open[0];

	for (size_t i = 0; i < CTF_FILES; i++) {
		struct ctf_file *file = &f->open[i];

		if (file->stream == stream) {
			return file;
		}
		if (file->used < oldest->used) {
			oldest = file;
		}
	}
	return oldest;
}

/* Sets the length to one that packets can have. */
static bool cut_odd(struct ctf_file *file, uint64_t size)
{
	uint64_t odd = size % PACKET_EVENT_ALIGN;

	file->size = size - odd;
	return odd == 0 || ctf_cut(file, file->size);
}

/*
 * Whether nobody else can have put the file there: where others may write into the
 * directory, it is its owner's or ours, and has no other name.
 */
static bool is_own(const struct stat *st, int directory)
{
	struct stat parent;

	return S_ISREG(st->st_mode) && st->st_nlink == 1 &&
	       (st->st_uid == geteuid() ||
		       (waymark_stat(directory, &parent) == 0 && st->st_uid == parent.st_uid));
}

/* Takes a descriptor that was just opened. */
static bool adopt(struct ctf_file *file, int fd, int directory)
{
	struct stat st;

	if (waymark_stat(fd, &st)) {
		return false;
	}
	if (!is_own(&st, directory)) {
		errno = EEXIST;
		return false;
	}
	file->fd = fd;
	file->device = st.st_dev;
	file->inode = st.st_ino;
	return cut_odd(file, (uint64_t)st.st_size);
}

static bool open_in(struct ctf_file *file, int directory, uint32_t piece, bool last_try)
{
	char name[CTF_NAME_BYTES];

	waymark_ctf_stream_name(name, file->stream, piece);
	int fd = ctf_open(directory, name, O_WRONLY | O_CREAT);

	if (fd >= 0 && adopt(file, fd, directory) &&
		waymark_ctf_index_open(file, directory, piece, last_try)) {
		return true;
	}
	ctf_close(fd);
	return false;
}

static bool open_file(
	const struct ctf_files *f, struct ctf_file *file, uint64_t stream, bool last_try)
{
	struct ctf_file fresh = { .stream = stream, .index_fd = -1 };
	int directory = waymark_ctf_open_directory(f->trace);
	bool opened = directory >= 0 && open_in(&fresh, directory, f->piece, last_try);

	ctf_close(directory);
	if (opened) {
		*file = fresh;
	}
	return opened;
}

/* Whether an open file still is the one in the directory. */
static bool is_there(const struct ctf_file *file, struct stat *st)
{
	return ctf_is_ours(file, file->fd, file->inode, st) && st->st_nlink > 0;
}

/* Has an open file end behind its last whole packet again; false, with errno, when it cannot. */
static bool settle(const struct ctf_files *f, struct ctf_file *file, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size;

	if (size > file->size) {
		return ctf_cut(file, file->size);
	}
	if (size < file->size) { /* somebody emptied it */
		waymark_ctf_index_give_up(f, file);
		return cut_odd(file, size);
	}
	return true;
}

/* Opens a stream's file; others are closed for it where descriptors are short. */
static bool open_somehow(struct ctf_files *f, struct ctf_file *file, uint64_t stream)
{
	if (open_file(f, file, stream, false)) {
		return true;
	}
	if (!ctf_no_descriptors()) {
		return false;
	}
	waymark_ctf_pause(f);
	return open_file(f, file, stream, true);
}

struct ctf_file *waymark_ctf_get_file(struct ctf_files *f, uint64_t stream)
{
	struct ctf_file *file = find_place(f, stream);
	struct stat st;

	if (file->stream && (file->stream != stream || !is_there(file, &st))) {
		close_file(file);
	}
	if (!(file->stream ? settle(f, file, &st) : open_somehow(f, file, stream))) {
		return NULL;
	}
	file->used = ++f->turn;
	return file;
}
