/* SPDX-License-Identifier: MIT */
/*
 * Reads the events of a process that are not in files yet, out of its buffer file
 * (format/buffer.h), while the process lives or after it died. Everything in the file is checked
 * before use, and reading allocates no memory for pages that were never written. Each source
 * belongs to one thread. For the CTF reader and for recovery.
 */
#ifndef READ_BUFFER_H
#define READ_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/buffer.h"
#include "format/packet.h"

/* Names a directory to use instead of /dev/shm, for tests; see also read/buffer_folder.h. */
#define BUFFER_SOURCE_VARIABLE "WAYMARK_SHM"

/* A packet in a buffer, with a copy of its header. */
struct buffer_packet {
	struct packet_header header; /* events_discarded with `evicted` added */
	uint64_t offset; /* in the buffer file */
	size_t content_bytes; /* published bytes, with the header */
	uint64_t evicted; /* its stream's count when the header was copied */
};

struct buffer_source;

/*
 * Opens the buffer of the trace with that uuid: /dev/shm/waymark-<uuid>, else DIRECTORY/.arena,
 * else the buffer in /dev/shm whose header names the trace, as a process may be unable to rename
 * its buffer when the trace takes it over; else the same in other folders, read/buffer_folder.h.
 * Returns NULL with *error: ENOENT if there is none, EBADMSG if the file is no buffer or its header
 * is damaged, EPERM if its owner is neither the caller nor the directory's owner, else the errno of
 * opening it. Never follows symbolic links.
 */
struct buffer_source *buffer_source_open(const char *directory, const uint8_t uuid[16], int *error);

/* Writes the path of a buffer that could not be opened, and why; `error` is not ENOENT. */
void buffer_source_explain(char *text, size_t size, const uint8_t uuid[16], int error);

/* Opens a buffer by its own path, whichever trace and user it belongs to. */
struct buffer_source *buffer_source_open_path(const char *path, int *error);
void buffer_source_close(struct buffer_source *s);

/* Reads the header again, of a process that has ended. False: it is damaged. */
bool buffer_source_read_again(struct buffer_source *s);

/* Returns the user whose file it is. */
uid_t buffer_source_owner(const struct buffer_source *s);

/* True if its process lives, or another process recovers it now. */
bool buffer_source_is_live(const struct buffer_source *s);

/* True if its process has exited for sure, even if another process recovers or moves it now. */
bool buffer_source_is_dead(const struct buffer_source *s);

/*
 * Keeps every other process from recovering or moving it, until buffer_source_close(). Returns 0,
 * EWOULDBLOCK if its process lives, EBUSY if another process recovers or moves it, ENOENT if the
 * path no longer names this file.
 */
int buffer_source_lock(struct buffer_source *s);

/*
 * Finds the packets now in memory, sorted by (stream_instance_id, sequence), each once. Returns
 * their number; they are valid until the next call. Returns 0 if the process already records into
 * another trace, which then owns the packets.
 */
size_t buffer_source_scan(struct buffer_source *s, const struct buffer_packet **packets);

/*
 * Finds a packet that the last scan missed because it began after the scan had passed its place.
 * One more scan serves all these calls. Returns false if there is none. The packets of the last
 * scan stay valid.
 */
bool buffer_source_find(
	struct buffer_source *s, uint64_t stream, uint64_t sequence, struct buffer_packet *p);

/*
 * Updates a packet that may have grown. Returns false if it is no longer in memory, or if the
 * process records into another trace now.
 */
bool buffer_source_look_again(const struct buffer_source *s, struct buffer_packet *p);

/*
 * Copies a packet's header and content: p->content_bytes. In the copy, uuid is the trace's,
 * content_size is the size copied, and events_discarded is as in `p`. Returns false if the process
 * reused the memory meanwhile; the copy is invalid then.
 */
bool buffer_source_copy(
	struct buffer_source *s, const struct buffer_packet *p, unsigned char *buffer);

/* Copies the header, and the content from `from` on, to the same offsets of `buffer`. */
bool buffer_source_copy_from(
	struct buffer_source *s, const struct buffer_packet *p, size_t from, unsigned char *buffer);

/* A stream's counters for this trace; see struct buffer_stream. */
struct buffer_counts {
	uint64_t lost;
	uint64_t evicted;
};

/* Returns a stream's counters; zeros if the table has no entry. */
struct buffer_counts buffer_source_counts(const struct buffer_source *s, uint64_t stream);

/* Returns the number of the process's streams, at most that of the table's entries. */
uint64_t buffer_source_streams(const struct buffer_source *s);

/*
 * Reads the clocks' first and latest readings. `now` equals `begin` if the process died while
 * writing a reading.
 */
void buffer_source_clock(
	const struct buffer_source *s, struct buffer_clock *begin, struct buffer_clock *now);

/* True if all events are in the stream files and no more will be recorded. */
bool buffer_source_is_closed(const struct buffer_source *s);

/*
 * True if the process exited and left events here. *error is an errno; 0 if threads still recorded.
 */
bool buffer_source_end(const struct buffer_source *s, int *error);

/*
 * True if the process already records into another trace. Sets the uuid and the directory
 * (BUFFER_FILE_PATH_BYTES), as the process noted it, of the next trace, or of the newest if more
 * than two followed.
 */
bool buffer_source_next_trace(const struct buffer_source *s, uint8_t uuid[16], char *directory);

/*
 * Writes where a directory that the process noted may be on this host: the place number `i`, from 0
 * on, or "" if its path is too long. Returns false behind the last place.
 */
bool buffer_source_place(const struct buffer_source *s, size_t i, const char *noted,
	char place[BUFFER_FILE_PATH_BYTES]);

/* Makes the trace with that uuid the wanted one if it is the current or the previous trace. */
void buffer_source_turn(struct buffer_source *s, const uint8_t uuid[16]);

/*
 * Locks like buffer_source_lock(), but waits: 10 seconds while another process recovers or moves
 * it, 0.2 seconds for a lock that may be a reader's, which checks whether the process lives.
 */
int buffer_source_lock_patiently(struct buffer_source *s);

/* Returns the file's header as of the opening. */
const struct buffer_file *buffer_source_header(const struct buffer_source *s);

/* Returns its process's totals as of the opening. If `events` is 0, they are unknown. */
struct buffer_totals buffer_source_totals(const struct buffer_source *s);

/* Returns the trace that it belongs to, as of the opening. */
const struct buffer_trace *buffer_source_trace(const struct buffer_source *s);

/*
 * Sets *trace to the same, with its directory on this host if its process has that root. Returns
 * false if such a path cannot be made.
 */
bool buffer_source_trace_in(
	const struct buffer_source *s, const char *root, struct buffer_trace *trace);
const char *buffer_source_path(const struct buffer_source *s);

/* True if it is in a trace's directory, and is moved with it. */
bool buffer_source_is_in_trace(const struct buffer_source *s);

/*
 * Return this process's folder of buffers, and whether a file name in it is a buffer's; the name
 * has the uuid of its trace.
 */
const char *buffer_source_folder(void);
bool buffer_source_is_name(const char *file);
bool buffer_source_read_name(const char *file, uint8_t uuid[16]);

/*
 * Returns an errno if the environment names a folder that is none, as leftovers would seem not to
 * exist; else 0.
 */
int buffer_source_folder_error(void);

#endif
