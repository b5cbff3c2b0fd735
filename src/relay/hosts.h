/* SPDX-License-Identifier: MIT */
/*
 * Relays of other hosts, whose sessions a viewer finds here, too. A viewer that attaches to one of
 * them speaks with that relay from then on; this one passes the bytes on. One thread for each
 * viewer.
 */
#ifndef RELAY_HOSTS_H
#define RELAY_HOSTS_H

#include "base/vec.h"
#include "relay/message.h"
#include "relay/traces.h"
#include "text/out.h"

/* A session of another host. */
struct hosts_session {
	uint64_t id; /* as viewers of this relay know it */
	uint64_t id_there;
	const char *host;
};

struct hosts {
	const struct relay_options *options;
	VEC(struct hosts_session) sessions; /* of the last list */
};

void hosts_fini(struct hosts *h);

/*
 * Adds the sessions of all hosts to the answer to LIVE_LIST_SESSIONS that `out` has, asking one
 * after the other. A host whose list has not come in two seconds is reported, and has none.
 */
void hosts_list(struct hosts *h, struct out *out);

/* True if a text is HOST[:PORT]. Does not look for the host. */
bool hosts_check(const char *host);

/*
 * Takes over the conversation of a viewer that attaches to another host's session: returns when it
 * has ended. False: it is none of theirs.
 */
bool hosts_converse(const struct hosts *h, int viewer, const struct request *attach);

#endif
