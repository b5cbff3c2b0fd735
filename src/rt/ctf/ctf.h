/* SPDX-License-Identifier: MIT */
/*
 * The consumer's side of the sink `ctf`: packets go into the files of a native trace as they are.
 * Only the consumer calls these functions, unless a comment says otherwise. All of them make system
 * calls directly, allocate nothing and take no lock that a fork or a signal handler could find
 * taken.
 *
 * A file calls only those below it:
 *
 *	ctf.c       the sink, as control calls see it, and control.h
 *	prepare.c   a new trace: its options, whether it can have its name, removal of an old one
 *	pass.c      the consumer
 *	end.c       begin, change and end of the trace; snapshots
 *	family.c    moves a held trace into a folder before a fork
 *	evict.c     chooses the packets that full=overwrite evicts
 *	jail.c      the consumer in a jail: declarations only
 *	packets.c   which packets of a thread go to its file
 *	packet_walk.c  counts the events of a packet
 *	append.c    packets at the end of their files
 *	stream.c    the open files of streams, their index and names, and which pieces stay
 *	create.c    makes the trace's directory, and gives it its name
 *	metadata.c  its declarations and its clock
 *	state.c     what control calls want; this process's state; its directory and its lock
 */
#ifndef RT_CTF_CTF_H
#define RT_CTF_CTF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

#include "format/buffer.h"
#include "format/ctf.h"
#include "format/packet.h"

/* The configuration that control calls want. Immutable once published and never freed. */
struct ctf_config {
	struct ctf_config *previous;
	uint64_t rotate; /* bytes of a piece; 0: one piece */
	uint32_t keep; /* pieces that stay; 0: all */
	uint32_t pid; /* of the process that asked */
	bool taken_over; /* the name existed already: report the one used instead */
	bool held; /* the name may change, and the trace is renamed then, see family.h */
	bool is_folder; /* the path is a folder with a trace of each process, see family.h */
	bool is_snapshot; /* later events are not for it, even if they have no other place */
	char path[]; /* absolute; "": trace-<pid>.ctf in the directory of the first event */
};

/* The trace directory of this process. In pages that fork wipes: all zero means `none yet`. */
struct ctf_trace {
	const struct ctf_config *config; /* for which it was made */
	uint8_t uuid[16];
	uint8_t former[16]; /* of the trace whose streams continue in it; all zero: none */
	uint32_t pid;
	uint32_t named; /* by release: it has its name; 0: nothing may be written yet */
	uint32_t metadata_lock; /* 1: taken; also while another trace replaces it */
	uint32_t declared; /* ids up to this one are in the metadata; under metadata_lock */
	enum ctf_ended
		ended; /* as in the metadata; of the thread that begins it, then the consumer */
	struct buffer_clock begin;
	uint64_t device, inode; /* of the directory, whose name another one may have by now */
	char path[PATH_MAX]; /* absolute; of a temporary name until waymark_ctf_name() */
	/*
	 * Too large for the program's stack. For the thread that begins the trace, then under
	 * metadata_lock.
	 */
	char scratch[PATH_MAX] __attribute__((aligned(16)));
};

/* The open files of a stream. */
struct ctf_file {
	uint64_t stream; /* 0: free */
	uint64_t used; /* turn of its last use; the oldest is closed for another stream */
	int fd;
	int index_fd; /* -1: there is none */
	bool direct; /* O_DIRECT */
	bool never_direct; /* its file system refuses O_DIRECT */
	uint64_t device; /* of the files that were opened: the program may close the descriptors */
	uint64_t inode;
	uint64_t index_inode;
	uint64_t size; /* whole packets */
	uint64_t index_size;
};

#define CTF_FILES 64u

/* Packets that one system call writes. */
#define CTF_GATHER 16u

struct ctf_files {
	struct ctf_trace *trace;
	uint64_t turn;
	uint32_t piece; /* 0: the first, or the only one */
	uint64_t piece_bytes;
	bool has_events; /* a packet is in the trace's files */
	uint64_t progress; /* atomic: count of system calls that returned, for threads that wait */
	int error; /* atomic: errno of the last write; 0: it succeeded */
	struct ctf_file open[CTF_FILES];
	char pages[CTF_GATHER][PACKET_FILE_ALIGN] __attribute__((aligned(PACKET_FILE_ALIGN)));
	struct ctf_index_record records[CTF_GATHER]; /* to be written to an index */
};

/*
 * Makes a directory with a temporary name in the directory where the trace belongs, with the
 * declarations of every event that has an id. Threads that fire their first event at the same time
 * each make one; one of them is published. The streams of `former`, which may be NULL or have no
 * name, continue in it. Returns false, with errno, if it cannot be made. Any thread, any signal
 * handler.
 */
bool waymark_ctf_begin(
	struct ctf_trace *t, const struct ctf_config *config, const struct ctf_trace *former);

/*
 * Gives the directory its name: the configured one if it is free, otherwise that name with `.<pid>`
 * or `.<pid>.<n>` appended; never replaces anything. Returns false, and leaves the path as it was,
 * if that fails. `wanted`, of PATH_MAX bytes, gets each name before it is tried. Any thread, any
 * signal handler.
 */
bool waymark_ctf_name(struct ctf_trace *t, char *wanted);

/*
 * Renames, but replaces nothing. Returns false, with errno, on failure. Any thread, any signal
 * handler.
 */
bool waymark_ctf_take_name(const char *from, const char *to);

/*
 * Puts the path of process `pid`'s trace in a folder into `path`; returns false if it is too long.
 */
bool waymark_ctf_member_path(const struct ctf_config *config, uint32_t pid, char *to, size_t size);

/* Returns true if the path is the configured one, which may end with slashes. */
bool waymark_ctf_is_as_named(const struct ctf_config *config, const char *path);

/* Returns true if the trace has another name than its process asked for, which must be reported. */
bool waymark_ctf_is_renamed(const struct ctf_trace *t);

/*
 * Opens the directory, if it still is the one that was made. Returns -1 with errno otherwise;
 * ENOENT also if something else has its name. Any thread, any signal handler.
 */
int waymark_ctf_open_directory(const struct ctf_trace *t);

/* Returns true if the directory was removed. Keeps errno. */
bool waymark_ctf_is_gone(const struct ctf_trace *t);

/*
 * Removes the directory again, because another thread's was published. Any thread, any signal
 * handler.
 */
void waymark_ctf_abandon(struct ctf_trace *t);

/*
 * Copies as much of its path as `size` bytes hold; returns false while it has none. Any thread, no
 * signal handler.
 */
bool waymark_ctf_get_path(struct ctf_trace *t, char *path, size_t size);

/*
 * Appends the declarations of events that got an id since the last call. Returns false, with errno,
 * if that fails; the consumer tries again. Any thread, no signal handler.
 */
bool waymark_ctf_declare(struct ctf_trace *t);

/*
 * Notes in the metadata, in place, whether all that the process recorded into the trace is in its
 * files. Returns false, with errno, if that fails.
 */
bool waymark_ctf_mark(struct ctf_trace *t, enum ctf_ended ended);

/* Rewrites the metadata, with the clock's rate as measured so far. */
bool waymark_ctf_refine(struct ctf_trace *t, const struct buffer_clock *now);

/*
 * Appends packets of one stream, in sequence, to its file and its index, after appending missing
 * declarations to the metadata. Small packets follow each other without gaps; after a large one the
 * file's end is aligned (ctf_packet_bytes()). A packet's packet_size may be changed to its size in
 * the file. Its events_discarded does not change in the buffer and is `evicted` more in the file,
 * because a kill may happen at any moment and a reader of the buffer adds that number itself.
 * Returns how many packets were written whole; if not all, `error` has the reason, and the file
 * ends after a whole packet.
 */
size_t waymark_ctf_write(
	struct ctf_files *f, struct packet_header *const *packets, size_t count, uint64_t evicted);

/* Notes why a part of the trace could not be written. */
void waymark_ctf_fail(struct ctf_files *f, int error);

/* After waymark_ctf_pause(): starts with no files, for another trace. */
void waymark_ctf_turn(struct ctf_files *f, struct ctf_trace *trace);

/* Closes all files, because the descriptors belong to the program or the trace ends. */
void waymark_ctf_pause(struct ctf_files *f);

/*
 * As the recorder sees it; and in a jail, with only begun(), declare() and the last two functions.
 */
extern const struct consumer waymark_consumer_ctf;
extern const struct consumer waymark_consumer_ctf_jail;

#endif
