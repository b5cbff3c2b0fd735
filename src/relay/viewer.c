/* SPDX-License-Identifier: MIT */
/*
 * The table of commands, a function each. A session of a trace ends when its process has ended and
 * everything was shown; the session of all processes never does.
 */
#include "relay/viewer.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "relay/recent.h"

#define LOOK_NS (100 * (uint64_t)1000000) /* between two lists of traces */
#define SESSIONS_MAX 64u

void viewer_init(struct viewer *v, const struct relay_options *options)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*v = (struct viewer){ .options = options, .given_ns = INT64_MIN };
	v->feeds.real_ns = (int64_t)((uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec -
				     clock_now_ns());
	v->feeds.are_held = options->path_count == 0;
	v->feeds.report = options->report;
}

static void close_session(struct viewer_session *s)
{
	vec_foreach (struct feed **, f, &s->feeds) {
		feed_close(*f);
	}
	vec_fini(&s->feeds);
	vec_fini(&s->past);
}

void viewer_fini(struct viewer *v)
{
	vec_foreach (struct viewer_session *, s, &v->sessions) {
		close_session(s);
	}
	vec_fini(&v->sessions);
	vec_fini(&v->ended);
	vec_fini(&v->failed);
}

/* ---- Sessions and their traces ---- */

static struct viewer_session *session_of(struct viewer *v, uint64_t id)
{
	vec_foreach (struct viewer_session *, s, &v->sessions) {
		if (s->id == id) {
			return s;
		}
	}
	return NULL;
}

static bool has_feed(const struct viewer_session *s, uint64_t id)
{
	vec_foreach (struct feed *const *, f, &s->feeds) {
		if ((*f)->trace == id) {
			return true;
		}
	}
	return false;
}

static bool has_id(const uint64_t *ids, size_t count, uint64_t id)
{
	while (count > 0 && ids[count - 1] != id) {
		count--;
	}
	return count > 0;
}

/*
 * Reports a trace that could not be opened, once; it is tried again. A process renames its trace
 * when that is complete, so one that is not there any longer is no problem.
 */
static void report(struct viewer *v, const struct relay_trace *t, const char *why)
{
	bool is_gone = v->options->path_count == 0 && access(t->path, F_OK) != 0;
	char text[5000];

	if (!is_gone && !has_id(v->failed.items, v->failed.count, t->id)) {
		snprintf(text, sizeof(text), "%s: %s", t->path, why);
		v->options->report(text);
		vec_push(&v->failed, t->id);
	}
}

/*
 * Returns the time, in ns since boot, before which all events can be shown: those of processes that
 * have begun since are of later times.
 */
static int64_t until_ns(const struct viewer *v)
{
	return (int64_t)v->looked_ns - v->options->delay_ns;
}

static void add_feed(
	struct viewer *v, struct viewer_session *s, const struct relay_trace *t, bool is_later)
{
	bool is_new = !s->is_whole && !is_later && v->options->path_count == 0;
	struct read_error error;

	if (has_feed(s, t->id) || has_id(s->past.items, s->past.count, t->id)) {
		return;
	}
	struct feed *f = feed_open(t->path, &v->feeds, is_new, &error);

	if (!f) {
		report(v, t, error.text);
		return;
	}
	if (v->options->path_count == 0 && relay_trace_id(f->reader->traces[0].uuid) != t->id) {
		feed_close(f); /* another process's, which has replaced it */
		return;
	}
	f->trace = t->id;
	if (is_later) {
		feed_set_floor(f, v->given_ns);
	}
	feed_fill(f, until_ns(v)); /* a viewer wants to know most streams at once */
	vec_push(&s->feeds, f);
}

/* Adds those traces of a list that the session has. Returns whether it has any. */
static bool add_feeds(struct viewer *v, struct viewer_session *s, const struct relay_traces *traces,
	bool is_later)
{
	bool has_any = s->id == RELAY_ALL;

	vec_foreach (const struct relay_trace *, t, &traces->all) {
		if (s->id == RELAY_ALL || s->id == t->session) {
			add_feed(v, s, t, is_later);
			has_any = true;
		}
	}
	return has_any;
}

/* Adds those traces that have begun since the last call, maybe between two lists. */
static void add_recent(struct viewer *v, struct viewer_session *s)
{
	struct relay_traces begun = { 0 };

	s->recent = recent_list(v->options->recent, s->recent, &begun);
	add_feeds(v, s, &begun, true);
	relay_traces_fini(&begun);
}

/* Lists the traces of now. Events of those that begin later are of later times. */
static void list(struct viewer *v, struct relay_traces *traces)
{
	v->looked_ns = clock_now_ns();
	relay_traces_list(traces, v->options);
}

/* Closes a trace that was shown to the end. */
static void remove_feed(struct viewer *v, struct feed *over)
{
	vec_foreach (struct viewer_session *, s, &v->sessions) {
		for (size_t i = 0; i < s->feeds.count; i++) {
			if (s->feeds.items[i] == over) {
				vec_push(&s->past, over->trace);
				feed_close(over);
				s->feeds.items[i] = s->feeds.items[--s->feeds.count];
				return;
			}
		}
	}
}

/* Looks for traces that have begun, and processes that have ended. */
static void look(struct viewer *v)
{
	struct relay_traces traces;

	if (clock_now_ns() - v->looked_ns < LOOK_NS) {
		return;
	}
	list(v, &traces);
	vec_foreach (struct viewer_session *, s, &v->sessions) {
		s->is_listed = add_feeds(v, s, &traces, true);
		add_recent(v, s);
	}
	relay_traces_fini(&traces);
}

static bool has_new(const struct viewer_session *s)
{
	bool has = false;

	vec_foreach (struct feed *const *, f, &s->feeds) {
		has |= feed_has_new(*f);
	}
	return has;
}

/* True if everything of the session was shown, and nothing follows. */
static bool is_over(const struct viewer *v, const struct viewer_session *s)
{
	bool is_over = !s->is_listed || v->options->path_count > 0;

	vec_foreach (struct feed *const *, f, &s->feeds) {
		is_over &= (*f)->is_ended && (*f)->streams.count == 0;
	}
	return is_over;
}

/* What a number of a viewer means. */
struct found {
	struct viewer_session *session;
	struct feed *feed;
	struct feed_stream *stream; /* NULL: that of the metadata */
};

/* Finds the stream of a number. False: there is none. */
static bool find(struct viewer *v, uint64_t id, struct found *at)
{
	vec_foreach (struct viewer_session *, s, &v->sessions) {
		vec_foreach (struct feed **, f, &s->feeds) {
			*at = (struct found){ s, *f, NULL };
			vec_foreach (struct feed_stream *, it, &(*f)->streams) {
				at->stream = it->id == id ? it : at->stream;
			}
			if (at->stream || (*f)->id == id) {
				return true;
			}
		}
	}
	return false;
}

/* ---- Commands ---- */

static bool answer_connect(struct viewer *v, const void *request, struct out *answer)
{
	struct live_connect c;

	memcpy(&c, request, sizeof(c));
	if (be32toh(c.major) != LIVE_MAJOR || be32toh(c.type) != LIVE_CLIENT_COMMANDS) {
		return false;
	}
	v->is_relay = be64toh(c.viewer) == RELAY_VIEWER;
	c.viewer = htobe64(1);
	c.minor = htobe32(be32toh(c.minor) < LIVE_MINOR ? be32toh(c.minor) : LIVE_MINOR);
	out_bytes(answer, &c, sizeof(c));
	v->is_connected = true;
	return true;
}

/* Adds a session, unless the viewer has seen its end. Returns the number of those added. */
static uint32_t put_session(const struct viewer *v, uint64_t id, const char *name, struct out *out)
{
	if (has_id(v->ended.items, v->ended.count, id)) {
		return 0;
	}
	struct live_session s = { .id = htobe64(id),
		.timer_us = htobe32((uint32_t)(LOOK_NS / 1000)),
		.clients = htobe32(0),
		.streams = htobe32(1) };

	gethostname(s.host, sizeof(s.host) - 1);
	snprintf(s.name, sizeof(s.name), "%s", name);
	out_bytes(out, &s, sizeof(s));
	return 1;
}

/* True if a process has a trace before this one in the list, and so its session. */
static bool is_listed_before(const struct relay_traces *traces, const struct relay_trace *trace)
{
	const struct relay_trace *t = traces->all.items;

	while (t < trace && t->session != trace->session) {
		t++;
	}
	return t < trace;
}

static bool answer_list(struct viewer *v, const void *request, struct out *answer)
{
	struct relay_traces traces;
	struct out sessions;

	(void)request;
	out_init(&sessions, OUT_TO_MEMORY);
	relay_traces_list(&traces, v->options);
	uint32_t count = put_session(v, RELAY_ALL, RELAY_ALL_NAME, &sessions);

	vec_foreach (const struct relay_trace *, t, &traces.all) {
		if (!is_listed_before(&traces, t)) {
			count += put_session(v, t->session, t->name, &sessions);
		}
	}
	const struct live_count counted = { htobe32(count) };

	out_bytes(answer, &counted, sizeof(counted));
	out_bytes(answer, sessions.data ? sessions.data : "", sessions.len);
	out_fini(&sessions);
	relay_traces_fini(&traces);
	return true;
}

static bool answer_create(struct viewer *v, const void *request, struct out *answer)
{
	const struct live_status created = { htobe32(LIVE_CREATE_OK) };

	(void)request;
	v->has_session = true;
	out_bytes(answer, &created, sizeof(created));
	return true;
}

static void put_stream(struct out *out, const struct feed *f, uint64_t id)
{
	struct live_stream s = {
		.id = htobe64(id), .trace = htobe64(f->id), .is_metadata = htobe32(id == f->id)
	};

	snprintf(s.path, sizeof(s.path), "%s", f->path);
	snprintf(s.channel, sizeof(s.channel), "%s", id == f->id ? "metadata" : "events");
	out_bytes(out, &s, sizeof(s));
}

/* Adds the streams of a session that the viewer does not know. Returns their number. */
static uint32_t put_new(struct viewer_session *s, struct out *out)
{
	uint32_t count = 0;

	vec_foreach (struct feed **, it, &s->feeds) {
		struct feed *f = *it;

		if (!f->is_known) {
			put_stream(out, f, f->id);
			count++;
		}
		f->is_known = true;
		vec_foreach (struct feed_stream *, stream, &f->streams) {
			if (!stream->is_known) {
				put_stream(out, f, stream->id);
				count++;
			}
			stream->is_known = true;
		}
	}
	return count;
}

static void put_status(struct out *out, uint32_t status, uint32_t count)
{
	const struct live_status_count s = { htobe32(status), htobe32(count) };

	out_bytes(out, &s, sizeof(s));
}

/* Attaches a session. Returns the status. */
static enum live_attach_status attach(struct viewer *v, uint64_t id, uint32_t seek)
{
	struct viewer_session s = { .id = id };
	struct relay_traces traces;

	if (!v->has_session) {
		return LIVE_ATTACH_NO_SESSION;
	}
	if (seek != LIVE_SEEK_BEGINNING && seek != LIVE_SEEK_LAST) {
		return LIVE_ATTACH_BAD_SEEK;
	}
	if (session_of(v, id)) {
		return LIVE_ATTACH_ALREADY;
	}
	if (has_id(v->ended.items, v->ended.count, id) || v->sessions.count == SESSIONS_MAX) {
		return LIVE_ATTACH_UNKNOWN;
	}
	s.is_whole = v->options->is_whole || seek == LIVE_SEEK_BEGINNING;
	s.recent = recent_list(v->options->recent, 0, NULL);
	list(v, &traces);
	s.is_listed = add_feeds(v, &s, &traces, false);
	relay_traces_fini(&traces);
	if (id != RELAY_ALL && s.feeds.count == 0) {
		close_session(&s);
		return LIVE_ATTACH_UNKNOWN;
	}
	vec_push(&v->sessions, s);
	return LIVE_ATTACH_OK;
}

/* Answers with a status and, if the session is not NULL, its new streams. */
static void put_streams(struct viewer_session *s, uint32_t status, struct out *answer)
{
	struct out streams;

	out_init(&streams, OUT_TO_MEMORY);
	uint32_t count = s ? put_new(s, &streams) : 0;

	put_status(answer, status, count);
	out_bytes(answer, streams.data ? streams.data : "", streams.len);
	out_fini(&streams);
}

static bool answer_attach(struct viewer *v, const void *request, struct out *answer)
{
	struct live_attach a;

	memcpy(&a, request, sizeof(a));
	uint64_t id = be64toh(a.session);
	enum live_attach_status status = attach(v, id, be32toh(a.seek));

	put_streams(status == LIVE_ATTACH_OK ? session_of(v, id) : NULL, status, answer);
	return true;
}

static uint64_t id_of(const void *request)
{
	struct live_id id;

	memcpy(&id, request, sizeof(id));
	return be64toh(id.id);
}

static bool answer_new_streams(struct viewer *v, const void *request, struct out *answer)
{
	struct viewer_session *s = session_of(v, id_of(request));
	enum live_streams_status status = LIVE_STREAMS_ERROR;

	if (s) {
		look(v);
		status = has_new(s)	 ? LIVE_STREAMS_OK
			 : is_over(v, s) ? LIVE_STREAMS_ENDED
					 : LIVE_STREAMS_NONE;
		if (status == LIVE_STREAMS_ENDED) {
			vec_push(&v->ended, s->id);
		}
	}
	put_streams(status == LIVE_STREAMS_OK ? s : NULL, status, answer);
	return true;
}

/* Notes how new the newest time is that the viewer got. */
static void note_given(struct viewer *v, const struct feed *f)
{
	if (f->is_held && until_ns(v) > v->given_ns) {
		v->given_ns = until_ns(v);
	}
}

static void set_packet(struct live_index *i, const struct feed_stream *s,
	const struct packet_header *h, uint32_t flags)
{
	i->status = htobe32(LIVE_INDEX_OK);
	i->flags = htobe32(flags);
	i->offset = htobe64(s->offset);
	i->packet_size = htobe64(h->packet_size);
	i->content_size = htobe64(h->content_size);
	i->timestamp_begin = htobe64(h->timestamp_begin);
	i->timestamp_end = htobe64(h->timestamp_end);
	i->events_discarded = htobe64(h->events_discarded);
}

/* Sets the answer for a stream without events now. */
static void set_quiet(struct viewer *v, struct live_index *i, const struct found *at)
{
	if (feed_end_stream(at->feed, at->stream, until_ns(v))) {
		i->status = htobe32(LIVE_INDEX_ENDED);
		return;
	}
	uint64_t beacon = feed_beacon(at->feed, at->stream, until_ns(v));

	i->timestamp_end = htobe64(beacon);
	i->status = htobe32(beacon ? LIVE_INDEX_INACTIVE : LIVE_INDEX_RETRY);
}

static void set_index(struct viewer *v, struct live_index *i, const struct found *at)
{
	bool is_new = has_new(at->session);

	/*
	 * Before a viewer knows new streams it gets no time that they may be older than, but an
	 * empty packet, which says that there are some.
	 */
	if (!feed_has_packet(at->stream) && !is_new) {
		set_quiet(v, i, at);
		return;
	}
	uint32_t flags = is_new ? LIVE_FLAG_STREAMS : 0;

	flags |= relay_metadata_look(&at->feed->metadata) ? LIVE_FLAG_METADATA : 0;
	set_packet(i, at->stream, feed_take(at->feed, at->stream), flags);
}

static bool answer_index(struct viewer *v, const void *request, struct out *answer)
{
	struct live_index index = { .status = htobe32(LIVE_INDEX_ERROR) };
	uint64_t id = id_of(request);
	struct found at;

	look(v);
	if (find(v, id, &at) && at.stream) {
		feed_fill(at.feed, until_ns(v));
		find(v, id, &at); /* streams move when one is added */
		set_index(v, &index, &at);
		note_given(v, at.feed);
		if (at.feed->is_ended && at.feed->streams.count == 0) {
			remove_feed(v, at.feed);
		}
	}
	out_bytes(answer, &index, sizeof(index));
	return true;
}

static bool answer_packet(struct viewer *v, const void *request, struct out *answer)
{
	struct live_packet_answer a = { .status = htobe32(LIVE_PACKET_ERROR) };
	struct live_packet p;
	struct found found;

	memcpy(&p, request, sizeof(p));
	uint32_t size = be32toh(p.size);
	const struct feed_stream *s = find(v, be64toh(p.stream), &found) ? found.stream : NULL;
	uint64_t at = s ? be64toh(p.offset) - s->offset : 0;

	if (!s || at > s->given.len || size > s->given.len - at || size == 0) {
		out_bytes(answer, &a, sizeof(a));
		return true;
	}
	a.status = htobe32(LIVE_PACKET_OK);
	a.size = p.size;
	out_bytes(answer, &a, sizeof(a));
	out_bytes(answer, s->given.data + at, size);
	return true;
}

static bool answer_metadata(struct viewer *v, const void *request, struct out *answer)
{
	struct live_metadata_answer a = { .status = htobe32(LIVE_METADATA_ERROR) };
	size_t start = answer->len;
	struct found at;

	out_bytes(answer, &a, sizeof(a));
	if (find(v, id_of(request), &at) && !at.stream) {
		struct feed *f = at.feed;

		relay_metadata_look(&f->metadata);
		size_t size = relay_metadata_take(&f->metadata, f->reader->traces[0].uuid, answer);

		a.size = htobe64(size);
		a.status = htobe32(size ? LIVE_METADATA_OK : LIVE_METADATA_NONE);
		memcpy(answer->data + start, &a, sizeof(a));
	}
	return true;
}

static bool answer_detach(struct viewer *v, const void *request, struct out *answer)
{
	struct viewer_session *s = session_of(v, id_of(request));
	const struct live_status status = { htobe32(s ? LIVE_DETACH_OK : LIVE_DETACH_UNKNOWN) };

	if (s) {
		close_session(s);
		*s = v->sessions.items[--v->sessions.count];
	}
	out_bytes(answer, &status, sizeof(status));
	return true;
}

bool viewer_answer(struct viewer *v, uint32_t command, const void *request, struct out *answer)
{
	static bool (*const answers[])(struct viewer *, const void *, struct out *) = {
		[LIVE_CONNECT] = answer_connect,
		[LIVE_LIST_SESSIONS] = answer_list,
		[LIVE_ATTACH] = answer_attach,
		[LIVE_NEXT_INDEX] = answer_index,
		[LIVE_PACKET] = answer_packet,
		[LIVE_METADATA] = answer_metadata,
		[LIVE_NEW_STREAMS] = answer_new_streams,
		[LIVE_CREATE_SESSION] = answer_create,
		[LIVE_DETACH] = answer_detach,
	};

	if (command >= ARRAY_SIZE(answers) || !answers[command]) {
		return false;
	}
	return (v->is_connected || command == LIVE_CONNECT) && answers[command](v, request, answer);
}
