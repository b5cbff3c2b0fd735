/* SPDX-License-Identifier: MIT */
/*
 * What a process recorded and has not written yet: its buffer file
 * (format/buffer.h), read while it lives or after it died. Nothing in the file
 * is believed before it was checked, and reading never gives memory to what
 * was never written. One thread a source. For the CTF reader and for recovery.
 */
#ifndef READ_BUFFER_H
#define READ_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/buffer.h"
#include "format/packet.h"

/* A directory for tests to have instead of /dev/shm. */
#define BUFFER_SOURCE_VARIABLE "WAYMARK_SHM"

/* Where a packet lies, and its header as it was copied. */
struct buffer_packet {
	struct packet_header header; /* events_discarded with `evicted` added */
	uint64_t offset; /* in the buffer file */
	size_t content_bytes; /* of it that are published, the header's included */
	uint64_t evicted; /* of its stream, when it was looked at */
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

/* Where the buffer is that could not be opened, and why not, in words; `error` is not ENOENT. */
void buffer_source_explain(char *text, size_t size, const uint8_t uuid[16], int error);

/* buffer_source_open() by the buffer's own path, whichever trace and user it belongs to. */
struct buffer_source *buffer_source_open_path(const char *path, int *error);
void buffer_source_close(struct buffer_source *s);

/* Whether its process lives, or somebody recovers it right now. */
bool buffer_source_is_live(const struct buffer_source *s);

/* Whether its process has ended for sure, whoever recovers or moves it right now. */
bool buffer_source_is_dead(const struct buffer_source *s);

/*
 * Keeps every other process from recovering or moving it, until buffer_source_close().
 * Returns 0, EWOULDBLOCK when its process lives, EBUSY when another one is at work on
 * it, ENOENT when the path names no longer this file.
 */
int buffer_source_lock(struct buffer_source *s);

/*
 * What is there now, sorted by (stream_instance_id, sequence), each packet
 * once. Returns how many; they are valid until the next call. None when the
 * process records into another trace by now, which has them then.
 */
size_t buffer_source_scan(struct buffer_source *s, const struct buffer_packet **packets);

/*
 * One packet that was there when the scan was over, but was not met: looked for by one more
 * scan for all of them. False where none is. What was scanned stays as it is.
 */
bool buffer_source_find(
	struct buffer_source *s, uint64_t stream, uint64_t sequence, struct buffer_packet *p);

/* Takes note of what was recorded into a packet since. False: it is not there any more. */
bool buffer_source_look_again(const struct buffer_source *s, struct buffer_packet *p);

/*
 * Copies a packet's header and content: p->content_bytes. In the copy, uuid is
 * the trace's, content_size is what was copied and events_discarded as in `p`. False: the
 * process used the memory anew meanwhile, and the copy is worth nothing.
 */
bool buffer_source_copy(
	struct buffer_source *s, const struct buffer_packet *p, unsigned char *buffer);

/* The same for the header and what lies from `from` on, to the same places of the buffer. */
bool buffer_source_copy_from(
	struct buffer_source *s, const struct buffer_packet *p, size_t from, unsigned char *buffer);

/* A stream's counters, see struct buffer_stream, as they are for this trace. */
struct buffer_counts {
	uint64_t lost;
	uint64_t evicted;
};

/* Zero where the table has no entry. */
struct buffer_counts buffer_source_counts(const struct buffer_source *s, uint64_t stream);

/* How many streams the process had, as far as the table goes. */
uint64_t buffer_source_streams(const struct buffer_source *s);

/* Both readings. `now` equals `begin` when the process died while it took another. */
void buffer_source_clock(
	const struct buffer_source *s, struct buffer_clock *begin, struct buffer_clock *now);

/* Whether all of it is in the stream files, and nothing will come. */
bool buffer_source_is_closed(const struct buffer_source *s);

/* Whether the process came to its end and left something here; *error: why, 0: threads recorded. */
bool buffer_source_end(const struct buffer_source *s, int *error);

/*
 * Whether the process records into another trace by now: the uuid of the next one, and its
 * directory (BUFFER_FILE_PATH_BYTES). Where there were more than two since, the newest one's.
 */
bool buffer_source_next_trace(const struct buffer_source *s, uint8_t uuid[16], char *directory);

/* That trace's packets are wanted from now on, if it is the one of now or the one before. */
void buffer_source_turn(struct buffer_source *s, const uint8_t uuid[16]);

/*
 * The same, but waits for those who are at work on it for 10 seconds, and for 0.2 for what may
 * be a reader that looks whether the process lives.
 */
int buffer_source_lock_patiently(struct buffer_source *s);

/* The file's header, as it was when opened, and its path. */
const struct buffer_file *buffer_source_header(const struct buffer_source *s);

/* What its process had done when it was opened; no events: nobody knows. */
struct buffer_totals buffer_source_totals(const struct buffer_source *s);

/* The trace that it belongs to, as it was when opened. */
const struct buffer_trace *buffer_source_trace(const struct buffer_source *s);
const char *buffer_source_path(const struct buffer_source *s);

/* Whether it lies in a trace's directory, and goes where that goes. */
bool buffer_source_is_in_trace(const struct buffer_source *s);

/* The folder that buffers lie in, and whether a file's name there is that of one. */
const char *buffer_source_folder(void);
bool buffer_source_is_name(const char *file);

/*
 * Why the folder that the environment names is none, an errno: what processes left in
 * memory would seem not to be there. 0: it is one, or none is named.
 */
int buffer_source_folder_error(void);

#endif
