/* SPDX-License-Identifier: MIT */
/*
 * The one definition of a buffer file's bytes: the memory that a process records
 * into, under /dev/shm (or in the trace's directory), so that it outlives the
 * process. Its name says which trace it belongs to.
 *
 *	/dev/shm/waymark-<uuid>       32 lower-case hex digits
 *	<trace directory>/.arena      where /dev/shm is absent or too small; or moved there
 *
 * The file is cut into units of 64 KiB; the first `first_unit` of them hold the
 * header, the table of streams and what only the process itself understands. A
 * packet (packet.h) may begin at any later unit, and fills 1, 4 or 16 of them.
 * One that begins with the magic and the buffer's uuid is valid up to its
 * content_size at every moment, while the process lives and after it. The file
 * that gets it has its own trace's uuid there. Whether its stream file holds it
 * already is told by (stream_instance_id, sequence).
 * While it lives the process recycles packets: who reads copies one first, and
 * believes it if its header but for content_size and timestamp_end is still the same.
 *
 * Another trace takes the buffer over with one rename: who comes by its former name
 * finds none, who comes by its new one all that is not written. Before it,
 * `traces` has what the new one needs; after it, `turn` counts on, for those who
 * have the file open. At the rename the metadata of both says CTF_FINISHED: the
 * trace without the buffer lacks nothing. The new one says so from its begin until then.
 *
 * The process holds a shared lock (flock) for as long as it has the file
 * mapped: who gets an exclusive one knows that it is dead, and may make the file smaller
 * or move it into its trace. Numbers have the process's byte order.
 *
 * Of buffers of a jail, which many processes have mapped, see format/buffer_jail.h.
 */
#ifndef FORMAT_BUFFER_H
#define FORMAT_BUFFER_H

#include <stdint.h>

#define BUFFER_FILE_MAGIC UINT64_C(0x414b52414d594157) /* "WAYMARKA" */
#define BUFFER_FILE_VERSION 4u
#define BUFFER_FILE_NO_TOTALS 3u /* the version before, which ends with `jail` */
#define BUFFER_FILE_PREFIX "/dev/shm/waymark-"
#define BUFFER_FILE_IN_TRACE ".arena"
#define BUFFER_FILE_MOVING ".arena.new" /* a leftover on its way there: not whole */
#define BUFFER_FILE_PATH_BYTES 4096u

#define BUFFER_UNIT (UINT64_C(64) << 10)

/* Streams above have no entry in the table; what they lose is not told after a kill. */
#define BUFFER_STREAMS_MAX 3072u

/* One moment on three clocks. */
struct buffer_clock {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

/*
 * Entry n - 1 is stream instance n's. A packet's true events_discarded is its
 * own plus its trace's `evicted`.
 */
struct buffer_stream {
	uint64_t lost; /* events that found no room, by now */
	uint64_t evicted[2]; /* for the trace of that place: events of packets that
				full=overwrite gave up, all older than any left; modulo 2^64,
				less the losses that a former trace tells */
};

struct buffer_trace {
	uint8_t uuid[16];
	char directory[BUFFER_FILE_PATH_BYTES]; /* absolute; NUL-terminated */
};

/* With jail=: what a process that can open nothing shares with `waymark drain`. */
enum buffer_claim {
	BUFFER_FREE, /* no process's */
	BUFFER_CLAIMED, /* one makes it its own */
	BUFFER_RECORDS, /* its declarations are there, and events may come */
};

struct buffer_jail {
	uint32_t on; /* 1: the rest counts, and so does all of format/buffer_jail.h */
	uint32_t claim; /* enum buffer_claim: by compare-and-swap and release */
	uint32_t is_first; /* 1: its process is the one that called waymark_init() */
	uint32_t unlocked; /* 1: free, or its process could not lock it: only flock() tells who
				lives */
	uint32_t ended; /* 1: it came to its end, by exit() and the like */
	uint32_t is_named; /* 1: `base` was asked for; 0: it is the default's */
	uint32_t family; /* the pid of who called waymark_init() */
	uint32_t staged; /* the drain's: 1: the trace has its directory, traces[0] names it */
	uint32_t room; /* futex, shared: counts sub-buffers that became free */
	uint32_t waiting; /* threads that wait for that */
	uint32_t beats; /* counts rounds of the drain: it lives */
	uint32_t reserved;
	uint64_t text_offset; /* of the metadata's text, in the file */
	uint64_t text_room; /* bytes that it may have */
	uint64_t text_bytes; /* that it has, whole declarations, by release */
	uint64_t stacks_offset; /* of struct buffer_stack [BUFFER_CLASSES]: free sub-buffers */
	uint64_t subbufs_offset; /* of struct buffer_chunk, by unit */
	char base[BUFFER_FILE_PATH_BYTES]; /* the first process's trace, absolute */
};

/* What the process had done when its writer looked last; all zero: it has none, as in a jail. */
struct buffer_totals {
	uint64_t recorded; /* events */
	uint64_t lost;
	uint32_t events; /* declared ones that are loaded */
	uint32_t events_on;
};

struct buffer_file {
	uint64_t magic;
	uint32_t version;
	uint32_t first_unit;
	uint64_t bytes; /* of the file; those beyond what was used are holes */
	uint8_t uuid[16]; /* of its first trace: what packets carry here */
	uint32_t pid;
	uint32_t closed; /* 1: all is in the stream files, nothing will come */
	uint64_t
		streams; /* how many instance ids are given out, of which the last is that number */
	uint64_t streams_offset; /* of struct buffer_stream [BUFFER_STREAMS_MAX], in the file */
	uint32_t clock_turn; /* counts changes of `now`: odd while one is under way */
	uint32_t overwrite; /* 1: full=overwrite; packets may vanish unwritten */
	struct buffer_clock begin;
	struct buffer_clock now; /* as of late: the clock's rate follows from both */
	uint32_t turn; /* counts changes of the trace, by release: it is traces[turn % 2] */
	uint32_t ended; /* by release: 0, or 1 + the errno why the process, which has come to its
			   end, could not write the rest; 1: its threads still recorded */
	struct buffer_trace traces[2]; /* the other one: the former, or the next; at first the
					 same, by the name that it was about to get */
	struct buffer_jail jail;
	struct buffer_totals totals;
};

static inline int buffer_file_is_known(uint32_t version)
{
	return version == BUFFER_FILE_VERSION || version == BUFFER_FILE_NO_TOTALS;
}

_Static_assert(sizeof(struct buffer_file) == 12560, "the same bytes for 32 bits and for 64");

#endif
