/* SPDX-License-Identifier: MIT */
/*
 * The parts of writing streams: the names of their files and pieces, the open
 * files and their index. For src/rt/ctf alone, under the drain lock.
 */
#ifndef RT_CTF_STREAM_H
#define RT_CTF_STREAM_H

#include <sys/stat.h>

#include "rt/ctf/ctf.h"

/* The longest name of a stream file or, with its folder, of its index. */
#define CTF_NAME_BYTES 64u

void waymark_ctf_stream_name(char name[CTF_NAME_BYTES], uint64_t stream, uint32_t piece);
void waymark_ctf_index_name(char name[CTF_NAME_BYTES], uint64_t stream, uint32_t piece);

/* The stream's file, open; NULL, with errno, when it cannot be opened. */
struct ctf_file *waymark_ctf_get_file(struct ctf_files *f, uint64_t stream);

/* Sets the file's length to that of its whole packets. */
bool waymark_ctf_cut(struct ctf_file *file, uint64_t size);

/*
 * What a packet takes in a file that ends at `at`: its content up to the next multiple of 8;
 * that of a large one up to where the file's end is aligned for writes past the page cache.
 */
uint64_t waymark_ctf_packet_bytes(const struct packet_header *packet, uint64_t at);

/*
 * Opens the index of the stream file that was just opened, and whose size is
 * known. A torn packet behind the last one of the index is cut off. An index that
 * still does not end where the file ends is removed, and so is one that cannot be
 * written; the trace needs none. False where it takes a descriptor that others
 * have, unless this is the last try.
 */
bool waymark_ctf_index_open(struct ctf_file *file, int directory, uint32_t piece, bool last_try);

/* Adds packets that were written behind the file's size so far, which is not updated yet. */
void waymark_ctf_index_add(struct ctf_files *f, struct ctf_file *file,
	struct packet_header *const *packets, size_t count, uint64_t evicted);

/* Removes it: it is not true any more. */
void waymark_ctf_index_give_up(const struct ctf_files *f, struct ctf_file *file);

/* Removes the pieces that are older than the newest `keep`. */
void waymark_ctf_remove_pieces(const struct ctf_files *f, uint32_t keep);

/*
 * Whether the descriptor still is that file: where it had to be shared,
 * the program may close it.
 */
bool waymark_ctf_is_ours(const struct ctf_file *file, int fd, uint64_t inode, struct stat *st);

#endif
