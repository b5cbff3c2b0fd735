/* SPDX-License-Identifier: MIT */
/*
 * The one definition of the bytes of a buffer file: the memory that a process records into. The
 * file is under /dev/shm, or in the trace's directory, so that it outlives the process. Its name
 * shows its trace:
 *
 *	/dev/shm/waymark-<uuid>       32 lower-case hex digits
 *	<trace directory>/.arena      where /dev/shm is absent or too small; or moved there
 *
 * The file consists of units of 64 KiB. The first `first_unit` of them hold the header, the table
 * of streams and private data of the process. A packet (packet.h) may begin at any later unit, and
 * fills 1, 4 or 16 units. A packet that begins with the magic and the buffer's uuid is valid up to
 * its content_size at every moment, while the process lives and afterwards. In a stream file it has
 * the uuid of that trace. Its (stream_instance_id, sequence) shows a reader whether a stream file
 * already has it. The living process reuses packets: a reader copies a packet first, and uses the
 * copy if the packet's header, except content_size and timestamp_end, is unchanged.
 *
 * A rename moves the buffer to another trace: a reader of the former name finds no buffer, a reader
 * of the new name finds all unwritten packets. Before the rename, the process fills the other entry
 * of `traces` for the new trace. After the rename, it increments `turn` for readers that have the
 * file open. At the rename the metadata of both traces says CTF_FINISHED, because the former trace
 * is complete without the buffer. The new trace's metadata says so from its start until then.
 *
 * The process holds a shared lock (flock) while it has the file mapped. An exclusive lock shows
 * that the process is dead; its holder may shorten the file or move it into its trace. Numbers have
 * the process's byte order.
 *
 * format/buffer_jail.h describes buffers of a jail, which many processes have mapped.
 */
#ifndef FORMAT_BUFFER_H
#define FORMAT_BUFFER_H

#include <stdint.h>

#define BUFFER_FILE_MAGIC UINT64_C(0x414b52414d594157) /* "WAYMARKA" */
#define BUFFER_FILE_VERSION 4u
#define BUFFER_FILE_NO_TOTALS 3u /* the previous version, which ends with `jail` */
#define BUFFER_FILE_PREFIX "/dev/shm/waymark-"
#define BUFFER_FILE_IN_TRACE ".arena"
#define BUFFER_FILE_MOVING ".arena.new" /* a leftover that is being moved there, incomplete */
#define BUFFER_FILE_PATH_BYTES 4096u

#define BUFFER_UNIT (UINT64_C(64) << 10)

/* Streams beyond the table have no entry; after a kill their losses are not reported. */
#define BUFFER_STREAMS_MAX 3072u

/* One moment on three clocks. */
struct buffer_clock {
	uint64_t ticks;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
};

/*
 * Entry n - 1 belongs to stream instance n. A packet's true events_discarded is its own plus its
 * trace's `evicted`.
 */
struct buffer_stream {
	uint64_t lost; /* number of events without memory so far */
	uint64_t evicted[2]; /* for the trace at that place: events of packets that
				full=overwrite replaced, all older than those left; modulo 2^64,
				less the losses that a former trace reports */
};

struct buffer_trace {
	uint8_t uuid[16];
	char directory[BUFFER_FILE_PATH_BYTES]; /* absolute; NUL-terminated */
};

/* Progress of a process of a jail in claiming a buffer. */
enum buffer_claim {
	BUFFER_FREE, /* no process has it */
	BUFFER_CLAIMED, /* a process is setting it up */
	BUFFER_RECORDS, /* its declarations are complete, and it may record events */
};

/* With jail=: data shared by a process that cannot open files and `waymark drain`. */
struct buffer_jail {
	uint32_t on; /* 1: the buffer is of a jail; 0: the rest has no meaning */
	uint32_t claim; /* enum buffer_claim: by compare-and-swap and release */
	uint32_t is_first; /* 1: its process called waymark_init() */
	uint32_t unlocked; /* 1: free, or its process could not lock it: only flock()
				shows whether a process lives */
	uint32_t ended; /* 1: its process ended by exit() or the like */
	uint32_t is_named; /* 1: the program set `base`; 0: it is the default */
	uint32_t family; /* pid of the process that called waymark_init() */
	uint32_t staged; /* 1: the trace's directory exists, traces[0] names it; set by the drain */
	uint32_t room; /* futex, shared: counts sub-buffers that became free */
	uint32_t waiting; /* threads that wait for a sub-buffer */
	uint32_t beats; /* counts rounds of the drain, to show that it is alive */
	uint32_t reserved;
	uint64_t text_offset; /* of the metadata's text in the file */
	uint64_t text_room; /* maximum bytes of the text */
	uint64_t text_bytes; /* present bytes of the text, whole declarations; stored by release */
	uint64_t stacks_offset; /* of struct buffer_stack [BUFFER_CLASSES]: free sub-buffers */
	uint64_t subbufs_offset; /* of struct subbuf, by unit */
	char base[BUFFER_FILE_PATH_BYTES]; /* the first process's trace, absolute */
};

/* Counts of the writer thread's last round; all zero without a writer thread, as in a jail. */
struct buffer_totals {
	uint64_t recorded; /* events */
	uint64_t lost;
	uint32_t events; /* number of declared events that are loaded */
	uint32_t events_on;
};

struct buffer_file {
	uint64_t magic;
	uint32_t version;
	uint32_t first_unit;
	uint64_t bytes; /* size of the file; unused bytes at its end are holes */
	uint8_t uuid[16]; /* uuid of its first trace, and of the packets in this file */
	uint32_t pid;
	uint32_t closed; /* 1: all events are in the stream files, and no more will be recorded */
	uint64_t streams; /* number of stream instances, which is the last one's id */
	uint64_t streams_offset; /* of struct buffer_stream [BUFFER_STREAMS_MAX], in the file */
	uint32_t clock_turn; /* counts changes of `now`; odd during a change */
	uint32_t overwrite; /* 1: full=overwrite; packets may be replaced unwritten */
	struct buffer_clock begin;
	struct buffer_clock now; /* last reading: both readings give the clock's rate */
	uint32_t turn; /* counts changes of the trace, which is traces[turn % 2]; by release */
	uint32_t ended; /* by release: 0, or 1 + the errno why the ending process could not write
			   the rest; 1: its threads still recorded */
	struct buffer_trace traces[2]; /* the current one, and the former or the next; at first
					 both are the same, under the name that it will get */
	struct buffer_jail jail;
	struct buffer_totals totals;
};

static inline int buffer_file_is_known(uint32_t version)
{
	return version == BUFFER_FILE_VERSION || version == BUFFER_FILE_NO_TOTALS;
}

_Static_assert(sizeof(struct buffer_file) == 12560, "the same bytes for 32 bits and for 64");

#endif
