/* SPDX-License-Identifier: MIT */
/*
 * Between trace_opt_parse() and trace_init_file() events come whose trace has no final name. It is
 * *held*: it has the name that file= asks for so far, or the default one, because a kill may
 * come, and a later name renames it.
 *
 * A process that forks in that time does not know which of the two names the trace: a daemon's
 * child does, a helper does not. So before the fork a held trace moves into a folder of its
 * name, NAME/PID, and each process of the family records into a trace of its own there, which
 * all readers take for one. No process needs to know how another one ends.
 */
#ifndef RT_CTF_FAMILY_H
#define RT_CTF_FAMILY_H

#include <sys/stat.h>

#include "rt/ctf/packets.h"

/* Before a fork: see struct waymark_sink. */
void waymark_ctf_share(void);

/* Renames a folder that has no trace yet. False, with errno: it cannot be renamed. */
bool waymark_ctf_rename_folder(const struct ctf_config *from, const struct ctf_config *to);

/* Stores a configuration for the next fork; returns the one before. */
struct ctf_config *waymark_ctf_swap_spare(struct ctf_config *config);

/* True if the directory is the folder of the family, or the trace of a parent that has none. */
bool waymark_ctf_is_family(const struct stat *st);

/* Moves the trace into a folder, if a fork asked for that. The consumer, as below. */
void waymark_ctf_serve_share(struct ctf_round *round);

/*
 * Gives a held trace the name that the configuration asks for. False: the trace is not held, or
 * cannot be renamed, and another one has to begin.
 */
bool waymark_ctf_take_along(struct ctf_round *round, const struct ctf_config *config);

/* A process of the family that forked this one, directly or not. */
struct ctf_kin {
	uint32_t pid; /* 0: none */
	uint8_t uuid[16]; /* of its trace */
};

/*
 * Removes the memory of kin that are dead and left no event: a daemon's parent ends by _exit(),
 * which removes nothing.
 */
void waymark_ctf_finish_kin(struct ctf_state *state);

#endif
