/* SPDX-License-Identifier: MIT */
/*
 * Relays of other hosts, whose sessions a viewer finds here, too. A viewer that attaches to one of
 * them speaks with that relay from then on; this one passes the bytes on. One thread for each
 * viewer.
 */
#ifndef RELAY_HOSTS_H
#define RELAY_HOSTS_H

#include <sys/socket.h>

#include "base/vec.h"
#include "relay/message.h"
#include "relay/traces.h"
#include "text/out.h"

/* A session of another host. */
struct hosts_session {
	uint64_t id; /* as viewers of this relay know it */
	uint64_t id_there;
	const char *host;
	struct sockaddr_storage address; /* at which it answered */
};

/* The hosts of all viewers. For any thread. */
struct hosts;

/* What a viewer knows of them. */
struct hosts_view {
	struct hosts *hosts;
	VEC(struct hosts_session) sessions; /* of the last list */
};

/* `options` stay in use. The caller releases it, at last when all viewers have ended. */
struct hosts *hosts_new(const struct relay_options *options);
void hosts_release(struct hosts *h);

void hosts_view_fini(struct hosts_view *v);

/*
 * Adds the sessions of all hosts to the answer to LIVE_LIST_SESSIONS that `out` has. All are asked
 * at once. A host whose list has not come in two seconds has none; that is reported, once until it
 * comes again.
 */
void hosts_list(struct hosts_view *v, struct out *out);

/* True if a text is HOST[:PORT]. Does not look for the host. */
bool hosts_check(const char *host);

/*
 * Takes over the conversation of a viewer that attaches to another host's session: returns when it
 * has ended. False: it is none of theirs.
 */
bool hosts_converse(const struct hosts_view *v, int viewer, const struct request *attach);

#endif
