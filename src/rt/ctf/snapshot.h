/* SPDX-License-Identifier: MIT */
/*
 * With full=overwrite: what is in memory, as a trace of its own. The buffer becomes
 * that trace's, all of it is written there, and then the buffer is the usual
 * trace's again, which is empty and begins anew: at each moment one of the two has
 * what is in memory, wherever a kill comes, and no event is in two snapshots.
 */
#ifndef RT_CTF_SNAPSHOT_H
#define RT_CTF_SNAPSHOT_H

#include "rt/ctf/cursor.h"

/*
 * A request. Who asks makes it and shows it in ctf_state.snapshot, where it is alone;
 * who drains serves it with his next flush, fills it in, and takes it away there, by release.
 */
struct ctf_snapshot {
	struct ctf_config *config; /* where to */
	int error; /* an errno: not all of it is written */
	bool missed; /* a thread did not come out of its event: what it has is not there */
	bool made; /* the directory is there */
	char path[PATH_MAX]; /* which: another one's that had the name first is not written to */
	bool free; /* nobody uses the configuration any more */
	uint32_t done; /* by release */
};

/* A flush begins: what it finds here, it serves. Who drains; so do the others. */
void waymark_ctf_snapshot_look(struct ctf_round *round);

/* Which trace is to have what this pass writes. */
const struct ctf_config *waymark_ctf_wanted(const struct ctf_round *round);

/*
 * A trace has begun: where it is the snapshot's, the usual one before it goes, unless it has
 * events, so that what comes finds its name free.
 */
void waymark_ctf_snapshot_begun(struct ctf_round *round);

/* The snapshot is written, or cannot be: the usual trace has the buffer again. */
void waymark_ctf_snapshot_end(struct ctf_round *round, enum drain_mode mode);

#endif
