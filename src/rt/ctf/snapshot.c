/* SPDX-License-Identifier: MIT */
/* See snapshot.h. */
#include <errno.h>

#include "rt/ctf/end.h"
#include "rt/ctf/snapshot.h"

void waymark_ctf_snapshot_look(struct ctf_round *round)
{
	round->snapshot = __atomic_load_n(&round->state->snapshot, __ATOMIC_ACQUIRE);
}

const struct ctf_config *waymark_ctf_wanted(const struct ctf_round *round)
{
	return round->snapshot ? round->snapshot->config : waymark_ctf_config();
}

void waymark_ctf_snapshot_begun(struct ctf_round *round)
{
	struct ctf_state *state = round->state;

	if (round->snapshot && !state->former_has_events && !waymark_ctf_is_gone(&state->former)) {
		waymark_ctf_abandon(&state->former);
	}
}

void waymark_ctf_snapshot_end(struct ctf_round *round, enum drain_mode mode)
{
	struct ctf_state *state = round->state;
	struct ctf_snapshot *s = round->snapshot;

	if (!s) {
		return;
	}
	s->made = state->trace.config == s->config;
	if (s->made) {
		strcpy(s->path, state->trace.path);
	}
	s->missed = round->missed > 0;
	s->error = !round->failed ? 0 : state->files.error ? state->files.error : EIO;
	if (!s->made) {
		state->finished = false; /* the usual trace goes on as it was */
		round->failed = false;
	}
	round->snapshot = NULL;
	waymark_ctf_sync(round, mode);
	s->free = state->trace.config != s->config;
	__atomic_store_n(&state->snapshot, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&s->done, 1, __ATOMIC_RELEASE);
}
