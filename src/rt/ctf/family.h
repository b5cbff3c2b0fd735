/* SPDX-License-Identifier: MIT */
/*
 * Events between trace_opt_parse() and trace_init_file() have a trace without a final name. The
 * trace is *held*: it has the name that file= gave so far, or the default one, because a kill may
 * happen, and is renamed when the final name is given.
 *
 * If a process forks meanwhile, it is unknown whether the parent or the child will name the trace:
 * a daemon's child does, a helper process does not. So before the fork a held trace moves into a
 * folder of its name, NAME/PID. Each process of the family records into its own trace there, and
 * all readers read the folder as one trace. So no process depends on how another one ends.
 */
#ifndef RT_CTF_FAMILY_H
#define RT_CTF_FAMILY_H

#include <sys/stat.h>

#include "rt/ctf/packets.h"

/* Call before a fork: see struct waymark_sink. */
void waymark_ctf_share(void);

/* Renames a folder that has no trace yet. Returns false, with errno, if it cannot be renamed. */
bool waymark_ctf_rename_folder(const struct ctf_config *from, const struct ctf_config *to);

/* Stores a configuration for the next fork; returns the former one. */
struct ctf_config *waymark_ctf_swap_spare(struct ctf_config *config);

/*
 * Returns true if the directory is the family's folder, or the trace of a parent without a folder.
 */
bool waymark_ctf_is_family(const struct stat *st);

/*
 * Moves the trace into a folder if a fork asked for that. Only the consumer calls this and the
 * functions below.
 */
void waymark_ctf_serve_share(struct ctf_round *round);

/*
 * Gives a held trace the configured name. Returns false if the trace is not held or cannot be
 * renamed; then another one must begin.
 */
bool waymark_ctf_take_along(struct ctf_round *round, const struct ctf_config *config);

/* A process of the family that forked this one, directly or not. */
struct ctf_kin {
	uint32_t pid; /* 0: none */
	uint8_t uuid[16]; /* of its trace */
};

/*
 * Removes the memory of dead kin that left no event, because a daemon's parent ends by _exit(),
 * which removes nothing.
 */
void waymark_ctf_finish_kin(struct ctf_state *state);

#endif
