/* SPDX-License-Identifier: MIT */
/*
 * The events of a selected time as a file: what `waymark export --to=csv` writes with --since and
 * --until. It is written while it is sent, so memory does not depend on its size.
 */
#include "cmd/view/answer/part.h"
#include "view/export/export.h"

struct csv_stream {
	struct view_stream stream;
	struct part part;
	struct out out; /* of the format; its bytes are moved to the server */
	struct export export;
	void *state; /* of the format; NULL: it has ended */
	bool is_at_end;
};

static void end_format(struct csv_stream *s)
{
	if (s->state) {
		export_csv.end(s->state);
		s->state = NULL;
	}
}

static bool write_more(struct view_stream *stream, struct out *out)
{
	struct csv_stream *s = (struct csv_stream *)stream;
	struct record records[SESSION_FEW];

	if (s->is_at_end) {
		return false;
	}
	size_t count = part_next(&s->part, records);

	if (count > 0) {
		export_csv.put(s->state, records, count);
	} else {
		s->is_at_end = true;
		end_format(s);
	}
	out_bytes(out, s->out.data ? s->out.data : "", s->out.len);
	s->out.len = 0;
	return true;
}

static void close_stream(struct view_stream *stream)
{
	struct csv_stream *s = (struct csv_stream *)stream;

	end_format(s);
	part_close(&s->part);
	out_fini(&s->out);
	free(s);
}

unsigned int answer_csv(struct viewer *v, const struct question *q, struct view_reply *reply)
{
	struct csv_stream *s = xcalloc(1, sizeof(*s));
	unsigned int status = part_open(&s->part, v, q, &reply->out);

	if (status != 200) {
		free(s);
		return status;
	}
	s->stream = (struct view_stream){ .more = write_more, .close = close_stream };
	out_init(&s->out, OUT_TO_MEMORY);
	s->export = (struct export){
		.reader = s->part.reader,
		.filter = &s->part.filter,
		.out = &s->out,
		.trace = v->session->traces[0],
	};
	s->state = export_csv.begin(&s->export);
	reply->stream = &s->stream;
	return 200;
}
