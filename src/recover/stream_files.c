/* SPDX-License-Identifier: MIT */
/* Stream files found, folded into and finished, see recover/stream_files.h. */
#include "recover/stream_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/ctf_files.h"
#include "output/file.h"
#include "recover/stream_mend.h"

static bool fail(struct stream_files *s, const char *name, const char *what, int error)
{
	snprintf(s->error, sizeof(s->error), "%s: %s: %s", name, what, strerror(error));
	return false;
}

static int by_stream_and_piece(const void *va, const void *vb)
{
	const struct stream_file *a = va;
	const struct stream_file *b = vb;

	if (a->stream != b->stream) {
		return a->stream < b->stream ? -1 : 1;
	}
	return (a->piece > b->piece) - (a->piece < b->piece);
}

static void sort(struct stream_files *s)
{
	if (s->all.count > 1) {
		qsort(s->all.items, s->all.count, sizeof(*s->all.items), by_stream_and_piece);
	}
}

/* Files that may only be read are enough as long as nothing has to change. */
static bool open_file(struct stream_files *s, struct stream_file *f)
{
	int flags = O_CLOEXEC | O_NOFOLLOW;

	f->file.fd = openat(s->directory, f->name, flags | O_RDWR);
	f->denied = 0;
	if (f->file.fd < 0 && (errno == EACCES || errno == EROFS)) {
		f->denied = errno;
		f->file.fd = openat(s->directory, f->name, flags | O_RDONLY);
	}
	return f->file.fd >= 0 || fail(s, f->name, "cannot be opened", errno);
}

/* There can be more files than one may have open. */
static bool close_file(struct stream_files *s, struct stream_file *f, bool ok)
{
	int fd = f->file.fd;

	f->file.fd = -1;
	return (fd < 0 || close(fd) == 0 || fail(s, f->name, "cannot be written", errno)) && ok;
}

bool stream_files_open(struct stream_files *s, int directory, const struct layouts *layouts)
{
	*s = (struct stream_files){ .directory = directory, .layouts = layouts };
	s->buffer = xcalloc(1, PACKET_FILE_BYTES_MAX);
	ctf_index_find(&s->losses, directory, false);
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		return fail(s, ".", "cannot be listed", errno);
	}
	for (struct dirent *e; (e = readdir(d));) {
		struct stream_file f = { 0 };

		f.file.fd = -1;
		if (strlen(e->d_name) < sizeof(f.name) &&
			ctf_file_is_stream(e->d_name, &f.stream, &f.piece)) {
			strcpy(f.name, e->d_name);
			vec_push(&s->all, f);
		}
	}
	closedir(d);
	sort(s);
	return true;
}

void stream_files_close(struct stream_files *s)
{
	vec_foreach (struct stream_file *, f, &s->all) {
		packet_file_close(&f->file);
	}
	vec_fini(&s->all);
	ctf_index_fini(&s->losses);
	free(s->buffer);
}

bool stream_files_mend(struct stream_files *s)
{
	vec_foreach (struct stream_file *, f, &s->all) {
		if (!open_file(s, f) || !close_file(s, f, stream_mend(s, f))) {
			return false;
		}
	}
	return true;
}

/* The file that a stream goes on in: its last piece. NULL when it has none. */
static struct stream_file *last_file(struct stream_files *s, uint64_t stream)
{
	struct stream_file *found = NULL;

	vec_foreach (struct stream_file *, f, &s->all) {
		found = f->stream == stream ? f : found;
	}
	return found;
}

/* What a stream's packets say last, whichever piece they are in. */
static struct packet_header last_packet(const struct stream_files *s, uint64_t stream)
{
	struct packet_header last = { 0 };

	vec_foreach (const struct stream_file *, f, &s->all) {
		if (f->stream == stream && f->last.sequence > 0) {
			last = f->last;
		}
	}
	return last;
}

static struct stream_file *add_file(struct stream_files *s, uint64_t stream)
{
	struct stream_file f = { .stream = stream };

	vec_foreach (const struct stream_file *, other, &s->all) {
		f.piece = other->piece > f.piece ? other->piece : f.piece;
	}
	int n = snprintf(f.name, sizeof(f.name), CTF_STREAM "%" PRIu64, stream);

	if (f.piece > 0) {
		snprintf(f.name + n, sizeof(f.name) - (size_t)n, "-%" PRIu64, f.piece);
	}
	int error = packet_file_open(&f.file, s->directory, f.name, O_RDWR | O_CREAT | O_EXCL);

	if (error) {
		fail(s, f.name, "cannot be made", error);
		return NULL;
	}
	output_file_match_metadata(f.file.fd, s->directory);
	close(f.file.fd);
	f.file.fd = -1;
	vec_push(&s->all, f);
	sort(s);
	return last_file(s, stream);
}

/* Appends the packet in the buffer, which goes on after `last`. */
static bool append(struct stream_files *s, uint64_t stream, uint64_t end)
{
	struct packet_header *h = (struct packet_header *)(void *)s->buffer;
	struct stream_file *f = last_file(s, stream);

	f = f ? f : add_file(s, stream);
	if (!f || !open_file(s, f)) {
		return false;
	}
	int error = f->denied ? f->denied : packet_file_append(&f->file, s->buffer, end);

	if (error) {
		fail(s, f->name, "cannot be written", error);
	} else {
		f->last = *h;
		f->changed = true;
	}
	return close_file(s, f, !error);
}

bool stream_files_fold(
	struct stream_files *s, struct buffer_source *buffer, const struct buffer_packet *p)
{
	struct packet_header *h = (struct packet_header *)(void *)s->buffer;
	const struct packet_header last = last_packet(s, p->header.stream_instance_id);

	if (p->header.sequence <= last.sequence || !buffer_source_copy(buffer, p, s->buffer)) {
		return true;
	}
	struct walk w = layouts_walk(s->layouts, s->buffer, p->content_bytes);

	s->cut += p->content_bytes - w.content > PACKET_EVENT_ALIGN ? p->content_bytes - w.content
								    : 0;
	h->content_size = 8 * (uint64_t)w.content;
	if (h->timestamp_end < w.last) {
		h->timestamp_end = w.last;
	}
	if (h->events_discarded < last.events_discarded) {
		h->events_discarded = last.events_discarded;
	}
	if (!append(s, h->stream_instance_id, w.last)) {
		return false;
	}
	s->events += w.events;
	return true;
}

/* Appends a packet without events, not before `ticks`, which goes on from `h`. */
static bool append_empty(
	struct stream_files *s, uint64_t stream, struct packet_header h, uint64_t ticks)
{
	uint64_t at = ticks > h.timestamp_end ? ticks : h.timestamp_end;

	h.magic = PACKET_MAGIC;
	memcpy(h.uuid, s->layouts->uuid, sizeof(h.uuid));
	h.stream_instance_id = stream;
	h.timestamp_begin = h.timestamp_end = at;
	h.content_size = 8 * sizeof(h);
	h.sequence++;
	memcpy(s->buffer, &h, sizeof(h));
	return append(s, stream, at);
}

bool stream_files_account(
	struct stream_files *s, uint64_t stream, uint64_t lost, const struct buffer_clock *now)
{
	struct packet_header h = last_packet(s, stream);

	if (lost <= h.events_discarded) {
		return true;
	}
	h.events_discarded = lost;
	return append_empty(s, stream, h, now->ticks);
}

static bool remove_index(struct stream_files *s, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/%s%s", CTF_INDEX, name, CTF_INDEX_SUFFIX);
	return unlinkat(s->directory, path, 0) == 0 || errno == ENOENT ||
	       fail(s, name, "its index cannot be removed", errno);
}

bool stream_files_mark_missing(struct stream_files *s, const struct ctf_index_lost *lost)
{
	struct packet_header h = last_packet(s, lost->stream);
	uint64_t last = h.sequence;

	vec_foreach (const uint64_t *, sequence, &lost->sequences) {
		last = *sequence > last ? *sequence : last;
	}
	if (last > h.sequence) {
		h.sequence = last;
		if (!append_empty(s, lost->stream, h, lost->end)) {
			return false;
		}
	}
	return faccessat(s->directory, lost->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	       remove_index(s, lost->name);
}

bool stream_files_mark_torn(struct stream_files *s, const struct stream_file *f)
{
	struct packet_header h = last_packet(s, f->stream);
	const struct torn_packet *t = &f->torn;

	/* Nothing is left of it, and what follows has its number: the gap is there. */
	if (t->missing == 0 && h.sequence > t->sequence) {
		return true;
	}
	h.sequence++;
	return append_empty(s, f->stream, h, t->end);
}

static bool sync_file(struct stream_files *s, struct stream_file *f)
{
	if (!open_file(s, f)) {
		return false;
	}
	bool ok = fsync(f->file.fd) == 0 || fail(s, f->name, "cannot be written", errno);

	return close_file(s, f, ok);
}

bool stream_files_finish(struct stream_files *s, bool *changed)
{
	vec_foreach (struct stream_file *, f, &s->all) {
		if (f->changed && !sync_file(s, f)) {
			return false;
		}
		bool stale = !packet_file_index_is_right(&f->file, s->directory, f->name);
		int error = stale ? packet_file_write_index(&f->file, s->directory, f->name) : 0;

		if (error) {
			return fail(s, f->name, "its index cannot be written", error);
		}
		*changed |= f->changed || stale;
	}
	return true;
}

void stream_files_count(const struct stream_files *s, uint64_t *streams, uint64_t *lost)
{
	uint64_t before = 0;

	*streams = *lost = 0;
	vec_foreach (const struct stream_file *, f, &s->all) {
		if (f->stream != before) {
			++*streams;
			*lost += last_packet(s, f->stream).events_discarded;
		}
		before = f->stream;
	}
}
