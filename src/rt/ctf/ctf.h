/* SPDX-License-Identifier: MIT */
/*
 * The consumer's side of the sink `ctf`: packets go into the files of a native
 * trace as they are. The consumer calls, unless a function says otherwise. All of
 * it makes system calls directly, allocates nothing and takes no lock that a
 * fork or a signal handler could find taken.
 *
 * A file calls only those below it:
 *
 *	ctf.c       what control calls ask for: control.h, and the sink
 *	prepare.c   a new trace: its options, whether it can have its name, removal of an old one
 *	pass.c      the consumer
 *	end.c       begin, change and end of the trace; snapshots
 *	family.c    a held trace moves into a folder, because a fork comes
 *	evict.c     which packets are given up, with full=overwrite
 *	jail.c      the consumer in a jail: declarations only
 *	packets.c   which packets of a thread go to its file
 *	packet_walk.c  the events of a packet, counted
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

/* What control calls ask for. Immutable once published and never freed. */
struct ctf_config {
	struct ctf_config *previous;
	uint64_t rotate; /* bytes of a piece; 0: one piece */
	uint32_t keep; /* pieces that stay; 0: all */
	uint32_t pid; /* of the process that asked */
	bool taken_over; /* the name was there already: say which one was taken instead */
	bool held; /* another name takes the trace along, see family.h */
	bool is_folder; /* the path is a folder that has a trace of each process, see family.h */
	bool is_snapshot; /* what comes later is not for it, even where it has no other place */
	char path[]; /* absolute; "": the default, trace-<pid>.ctf where the first event was */
};

/* The trace directory of this process. In pages that fork wipes: all zero is `none yet`. */
struct ctf_trace {
	const struct ctf_config *config; /* it was made for */
	uint8_t uuid[16];
	uint8_t former[16]; /* of the trace whose streams continue in it; all zero: none */
	uint32_t pid;
	uint32_t named; /* it has its name, by release; 0: nothing may be written yet */
	uint32_t metadata_lock; /* 1: taken; also while another trace takes its place */
	uint32_t declared; /* ids up to this one are in the metadata; under metadata_lock */
	enum ctf_ended
		ended; /* as in the metadata; of the thread that begins it, then the consumer */
	struct buffer_clock begin;
	uint64_t device, inode; /* of the directory: another one may have its name by now */
	char path[PATH_MAX]; /* absolute; of a temporary name until waymark_ctf_name() */
	/*
	 * Too large for the program's stack. The thread that begins it, then under metadata_lock.
	 */
	char scratch[PATH_MAX] __attribute__((aligned(16)));
};

/* The open files of a stream. */
struct ctf_file {
	uint64_t stream; /* 0: free */
	uint64_t used; /* turn of its last use: the oldest is closed for another */
	int fd;
	int index_fd; /* -1: there is none */
	bool direct; /* O_DIRECT */
	bool never_direct; /* its file system refuses that */
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
	uint64_t progress; /* atomic: system calls that returned, for threads that wait */
	int error; /* atomic: errno of the last write, 0 when it went well */
	struct ctf_file open[CTF_FILES];
	char pages[CTF_GATHER][PACKET_FILE_ALIGN] __attribute__((aligned(PACKET_FILE_ALIGN)));
	struct ctf_index_record records[CTF_GATHER]; /* on their way into an index */
};

/*
 * Makes a directory of a temporary name beside the place where the trace
 * belongs, with the declarations of every event that has an id. Threads that
 * meet their first event together each make one; one of them is published.
 * The streams of `former`, which may be NULL or have no name, go on in it.
 * False, with errno, when it cannot be made. Any thread, any signal handler.
 */
bool waymark_ctf_begin(
	struct ctf_trace *t, const struct ctf_config *config, const struct ctf_trace *former);

/*
 * Gives the directory its name: the configured one if it is free, else with
 * `.<pid>` and then `.<pid>.<n>` behind it; nothing is ever replaced. The path
 * stays as it was where that fails: false. `wanted`, of PATH_MAX bytes, gets each
 * name before it is tried. Any thread, any signal handler.
 */
bool waymark_ctf_name(struct ctf_trace *t, char *wanted);

/* Renames, but replaces nothing. False: errno. Any thread, any signal handler. */
bool waymark_ctf_take_name(const char *from, const char *to);

/* Puts the path of process `pid` in a folder's `path`; false where it is too long. */
bool waymark_ctf_member_path(const struct ctf_config *config, uint32_t pid, char *to, size_t size);

/* True if the path is the one that was asked for, which may end with slashes. */
bool waymark_ctf_is_as_named(const struct ctf_config *config, const char *path);

/* True if the trace has another name than its process asked for, which must be reported. */
bool waymark_ctf_is_renamed(const struct ctf_trace *t);

/*
 * Opens the directory, if it still is the one that was made; -1 with errno, ENOENT
 * too where something else has its name. Any thread, any signal handler.
 */
int waymark_ctf_open_directory(const struct ctf_trace *t);

/* True if it was removed. errno stays. */
bool waymark_ctf_is_gone(const struct ctf_trace *t);

/* Removes the directory again: another thread's was published. Any thread, any signal handler. */
void waymark_ctf_abandon(struct ctf_trace *t);

/*
 * Copies its path, as much of it as `size` bytes hold; false as long as it has none.
 * Any thread, no signal handler.
 */
bool waymark_ctf_get_path(struct ctf_trace *t, char *path, size_t size);

/*
 * Appends the declarations of events that got an id since. False, with errno,
 * when it cannot be done; the consumer tries again. Any thread, no signal handler.
 */
bool waymark_ctf_declare(struct ctf_trace *t);

/*
 * Notes in the metadata, in place, whether all that the process recorded into the
 * trace is in its files. False, with errno, when that cannot be done.
 */
bool waymark_ctf_mark(struct ctf_trace *t, enum ctf_ended ended);

/* Writes the metadata anew, with the clock's rate as measured so far. */
bool waymark_ctf_refine(struct ctf_trace *t, const struct buffer_clock *now);

/*
 * Appends packets of one stream, in sequence, to its file and its index, and what
 * their events need to the metadata before. Small packets lie back to back, large ones have the
 * file end aligned (ctf_packet_bytes()); their packet_size may be set to what they take
 * there. Their events_discarded stays, and is `evicted` more in the file: a kill may come at any
 * moment, and a reader of the buffer adds that itself. Returns how many were written whole; if not
 * all, `error` says why, and the file ends behind a whole packet.
 */
size_t waymark_ctf_write(
	struct ctf_files *f, struct packet_header *const *packets, size_t count, uint64_t evicted);

/* Notes why something of the trace could not be written. */
void waymark_ctf_fail(struct ctf_files *f, int error);

/* After waymark_ctf_pause(): starts with no files, for another trace. */
void waymark_ctf_turn(struct ctf_files *f, struct ctf_trace *trace);

/* Closes all files: the descriptors are the program's, or the trace ends. */
void waymark_ctf_pause(struct ctf_files *f);

#endif
