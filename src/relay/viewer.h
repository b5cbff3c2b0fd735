/* SPDX-License-Identifier: MIT */
/*
 * A viewer's conversation: LTTng's protocol for live viewers (format/lttng_live.h), without I/O.
 * Nothing that a viewer sends is trusted. One thread for each viewer.
 */
#ifndef RELAY_VIEWER_H
#define RELAY_VIEWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "relay/feed.h"
#include "relay/traces.h"
#include "text/out.h"

/* A session that the viewer has attached. */
struct viewer_session {
	uint64_t id;
	VEC(struct feed *) feeds;
	bool is_whole; /* traces are shown from their begin */
	uint64_t recent; /* number of the last trace of recent_list() that was looked at */
	bool is_listed; /* processes of the session run, or may begin */
	VEC(uint64_t) past; /* traces that were shown to the end */
};

/* What a relay says when it connects, where a viewer has 0. */
#define RELAY_VIEWER UINT64_C(0x7761796d61726b00)

struct viewer {
	const struct relay_options *options;
	bool is_connected;
	bool is_relay; /* of another host: it gets the sessions of this one only */
	bool has_session; /* has created one, to which sessions of traces are attached */
	struct feed_options feeds;
	VEC(struct viewer_session) sessions;
	VEC(uint64_t) ended; /* sessions that were shown to the end: a viewer may ask again */
	VEC(uint64_t) failed; /* sessions of traces that could not be opened, which was reported */
	uint64_t looked_ns; /* when traces were listed */
	int64_t given_ns; /* newest time that a beacon or packet may have had */
};

void viewer_init(struct viewer *v, const struct relay_options *options);
void viewer_fini(struct viewer *v);

/*
 * Answers a request, of request_size() bytes. False: it is none of the protocol, and the connection
 * must end.
 */
bool viewer_answer(struct viewer *v, uint32_t command, const void *request, struct out *answer);

#endif
