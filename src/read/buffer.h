/* SPDX-License-Identifier: MIT */
/*
 * A process's events that are not in files yet: its buffer file
 * (format/buffer.h), read while it lives or after it died. Nothing in the file
 * is believed before it was checked, and reading gives no memory to pages that
 * were never written. One thread a source. For the CTF reader and for recovery.
 */
#ifndef READ_BUFFER_H
#define READ_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/buffer.h"
#include "format/packet.h"

/* Names a directory that tests use instead of /dev/shm. */
#define BUFFER_SOURCE_VARIABLE "WAYMARK_SHM"

/* A packet in a buffer, with a copy of its header. */
struct buffer_packet {
	struct packet_header header; /* events_discarded with `evicted` added */
	uint64_t offset; /* in the buffer file */
	size_t content_bytes; /* that are published, with the header */
	uint64_t evicted; /* of its stream, when the header was copied */
};

struct buffer_source;

/*
 * The buffer of the trace with that uuid: /dev/shm/waymark-<uuid>, else DIRECTORY/.arena,
 * else the one there whose header names it: its process could not rename it when
 * this trace took it over. NULL with *error: ENOENT when there is none, EBADMSG when
 * the file is no buffer or its header is damaged, EPERM when it is neither the
 * caller's nor the directory's owner's, else why it cannot be opened. Never
 * follows symbolic links.
 */
struct buffer_source *buffer_source_open(const char *directory, const uint8_t uuid[16], int *error);

/* Writes the path of a buffer that could not be opened, and why; `error` is not ENOENT. */
void buffer_source_explain(char *text, size_t size, const uint8_t uuid[16], int error);

/* Opens a buffer by its own path, whichever trace and user it belongs to. */
struct buffer_source *buffer_source_open_path(const char *path, int *error);
void buffer_source_close(struct buffer_source *s);

/* True if its process lives, or somebody recovers it now. */
bool buffer_source_is_live(const struct buffer_source *s);

/* True if its process has exited for sure, even if somebody recovers or moves it now. */
bool buffer_source_is_dead(const struct buffer_source *s);

/*
 * Keeps every other process from recovering or moving it, until buffer_source_close().
 * Returns 0, EWOULDBLOCK if its process lives, EBUSY if another one recovers or
 * moves it, ENOENT if the path no longer names this file.
 */
int buffer_source_lock(struct buffer_source *s);

/*
 * The packets that are there now, sorted by (stream_instance_id, sequence), each
 * once. Returns their number; they are valid until the next call. None if the
 * process records into another trace by now, to which they belong then.
 */
size_t buffer_source_scan(struct buffer_source *s, const struct buffer_packet **packets);

/*
 * Finds a packet that the last scan did not meet, because it began behind it: one more scan serves
 * all such calls. False: there is none. The packets of the last scan stay valid.
 */
bool buffer_source_find(
	struct buffer_source *s, uint64_t stream, uint64_t sequence, struct buffer_packet *p);

/* Updates a packet that may have grown. False: it is gone, or another trace has the buffer now. */
bool buffer_source_look_again(const struct buffer_source *s, struct buffer_packet *p);

/*
 * Copies a packet's header and content: p->content_bytes. In the copy, uuid is
 * the trace's, content_size is what was copied and events_discarded as in `p`. False: the
 * process reused the memory meanwhile, and the copy is invalid.
 */
bool buffer_source_copy(
	struct buffer_source *s, const struct buffer_packet *p, unsigned char *buffer);

/* The same for the header and the content from `from` on, to the same offsets of `buffer`. */
bool buffer_source_copy_from(
	struct buffer_source *s, const struct buffer_packet *p, size_t from, unsigned char *buffer);

/* A stream's counters for this trace, see struct buffer_stream. */
struct buffer_counts {
	uint64_t lost;
	uint64_t evicted;
};

/* Zero if the table has no entry. */
struct buffer_counts buffer_source_counts(const struct buffer_source *s, uint64_t stream);

/* The number of the process's streams, as far as the table goes. */
uint64_t buffer_source_streams(const struct buffer_source *s);

/* Both readings of the clocks. `now` equals `begin` if the process died while it took another. */
void buffer_source_clock(
	const struct buffer_source *s, struct buffer_clock *begin, struct buffer_clock *now);

/* True if everything is in the stream files, and nothing will be recorded. */
bool buffer_source_is_closed(const struct buffer_source *s);

/* True if the process exited and left events here; *error: an errno, 0: threads still recorded. */
bool buffer_source_end(const struct buffer_source *s, int *error);

/*
 * True if the process records into another trace by now; sets the uuid and the directory
 * (BUFFER_FILE_PATH_BYTES) of the next one, or of the newest if there were more than two.
 */
bool buffer_source_next_trace(const struct buffer_source *s, uint8_t uuid[16], char *directory);

/* Makes that trace the wanted one if it is the current one or the one before. */
void buffer_source_turn(struct buffer_source *s, const uint8_t uuid[16]);

/*
 * buffer_source_lock() that waits: 10 seconds for whoever recovers or moves it, 0.2 seconds for a
 * lock that may be a reader's, which checks whether the process lives.
 */
int buffer_source_lock_patiently(struct buffer_source *s);

/* The file's header, as it was when opened. */
const struct buffer_file *buffer_source_header(const struct buffer_source *s);

/* The totals of its process when it was opened; no events: they are not known. */
struct buffer_totals buffer_source_totals(const struct buffer_source *s);

/* The trace that it belongs to, as it was when opened. */
const struct buffer_trace *buffer_source_trace(const struct buffer_source *s);
const char *buffer_source_path(const struct buffer_source *s);

/* True if it lies in a trace's directory, and is moved with it. */
bool buffer_source_is_in_trace(const struct buffer_source *s);

/* The folder of buffers, and whether a file's name there is one of a buffer. */
const char *buffer_source_folder(void);
bool buffer_source_is_name(const char *file);

/*
 * An errno if the environment names a folder that is none: leftovers would seem not to exist.
 * Else 0.
 */
int buffer_source_folder_error(void);

/* The process of a jail's buffer. */
enum buffer_owner {
	BUFFER_OWNER_NONE, /* no process has claimed it, but one of the family may */
	BUFFER_OWNER_NEVER, /* no process has claimed it, and none will */
	BUFFER_OWNER_LIVES,
	BUFFER_OWNER_GONE,
};

/*
 * Looks at the process of a jail's open buffer. *pid: its process when it was seen last, 0: never;
 * updated, as it helps when the lock is gone too early.
 */
enum buffer_owner buffer_owner_look(int fd, uint32_t *pid);

/*
 * True if a process whose lock is gone has exited for sure, so that another one may record into
 * its buffer: two would spoil each other's events. False if that is not known.
 */
bool buffer_owner_is_dead(int fd);

/* True if any process of the family has the buffer open, and may record. */
bool buffer_owner_has_family(int fd);

#endif
