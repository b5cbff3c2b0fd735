/* SPDX-License-Identifier: MIT */
/*
 * Saves the page with its data as one file, which shows a time of the traces without a server: the
 * files of the page, and what it would ask for, compressed by deflate, in base64. page/saved.js
 * makes the answers of it. Modules have no addresses in a file of the disk: a map gives them names,
 * with their texts as data: URLs.
 */
#include "cmd/view/save.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "cmd/view/answer/answers.h"
#include "timeline/tile.h"
#include "view/lines.h"
#include "view/message/json.h"

/* Slices, events and losses of a page: some 10 MB, which a browser opens in a second. */
#define ITEMS_MAX ((size_t)1 << 19)

/* Steps of a picture, whose items need not be single ones. */
#define PICTURE_COLUMNS 2000
#define PICTURE_COLUMNS_TEXT "2000"

/* Columns of the whole trace. */
#define OVERVIEW_COLUMNS "1000"

struct save {
	struct viewer *viewer;
	int64_t from_ns;
	int64_t to_ns;
	const struct kept *tracks;
	bool is_exact;
	bool is_first_field;
	bool is_unreadable;
	struct out *out;
};

/* ---- Data ---- */

/* Writes an element with compressed data, which it frees. */
static bool put_data(struct out *out, const char *id, struct out *plain)
{
	uLongf size = compressBound(plain->len);
	unsigned char *packed = xrealloc(NULL, size);
	bool ok = compress2(packed, &size, (const Bytef *)plain->data, plain->len,
			  Z_BEST_COMPRESSION) == Z_OK;

	if (ok) {
		out_printf(out, "<script type=\"text/plain\" id=\"%s\">", id);
		out_base64(out, packed, size);
		out_str(out, "</script>\n");
	}
	free(packed);
	out_fini(plain);
	return ok;
}

/* The arguments of a question whose answer is saved. */
struct saved_arguments {
	char from[24];
	char to[24];
	const char *columns;
	const char *field;
};

static const char *saved_argument(void *arguments, const char *name)
{
	const struct saved_arguments *a = arguments;

	if (strcmp(name, "from") == 0) {
		return a->from;
	}
	if (strcmp(name, "to") == 0) {
		return a->to;
	}
	return strcmp(name, "columns") == 0 ? a->columns : a->field;
}

/* Writes an answer about the time; false if it has too much. */
static bool put_answer(const struct save *s, const char *path, const char *field, struct out *out)
{
	int64_t first = viewer_first_ns(s->viewer);
	int64_t to_ns = s->to_ns > s->from_ns ? s->to_ns : s->from_ns + 1;
	struct saved_arguments a = { .columns = PICTURE_COLUMNS_TEXT, .field = field };
	const struct question q = { .get = saved_argument,
		.data = &a,
		.waits = true,
		.whole = s->is_exact && !field ? ITEMS_MAX : 0 };
	struct view_reply reply = { 0 };

	snprintf(a.from, sizeof(a.from), "%" PRId64, s->from_ns - first);
	snprintf(a.to, sizeof(a.to), "%" PRId64, to_ns - first);
	out_init(&reply.out, OUT_TO_MEMORY);
	bool ok = view_answer(s->viewer, path, &q, &reply) == 200;

	if (ok) {
		out_bytes(out, reply.out.data, reply.out.len);
	}
	out_fini(&reply.out);
	return ok;
}

/* Writes the curve of a field as a member; one that the server would refuse is not there. */
static void put_curve(void *save, const char *field)
{
	struct save *s = save;
	struct out answer;

	out_init(&answer, OUT_TO_MEMORY);
	if (put_answer(s, "/api/curve", field, &answer)) {
		out_str(s->out, s->is_first_field ? "" : ",");
		json_out_string(s->out, field);
		out_char(s->out, ':');
		out_bytes(s->out, answer.data, answer.len);
		s->is_first_field = false;
	}
	out_fini(&answer);
}

/* Writes what is beside threads and lanes; false if it is too much. */
static bool put_beside(struct save *s, struct out *out)
{
	out_str(out, ",\"only\":");
	kept_put(s->tracks, out);
	out_str(out, ",\"curves\":{");
	s->out = out;
	s->is_first_field = true;
	view_wanted_fields(s->viewer, put_curve, s);
	out_str(out, "},\"fields\":");
	bool ok = put_answer(s, "/api/fields", NULL, out);

	out_str(out, ",\"lives\":");
	ok = ok && put_answer(s, "/api/lives", NULL, out);
	out_str(out, ",\"sched\":");
	return ok && put_answer(s, "/api/sched", NULL, out);
}

/* Fills a tile with all items; false if there are too many, or they cannot be read. */
static bool read_items(struct save *s, struct tile *tile, const struct tile_wish *wish)
{
	struct near n = { .from_ns = s->from_ns, .to_ns = s->to_ns, .limit = ITEMS_MAX };

	struct read_error error;
	enum answer_near result = answer_read_near(s->viewer, &n, &error);
	bool ok = result == NEAR_READ;

	s->is_unreadable = !ok && result != NEAR_TOO_MANY;

	if (ok) {
		tile_from_near(tile, &n, wish);
	}
	near_fini(&n);
	return ok;
}

/* Writes what is shown; false if it must be single items, and these are too many. */
static bool put_shown(struct save *s, struct out *out)
{
	struct levels *l = &s->viewer->levels;
	struct saved_arguments arguments = { .columns = OVERVIEW_COLUMNS };
	const struct question saved = { .get = saved_argument, .data = &arguments };
	int64_t first = viewer_first_ns(s->viewer);
	struct tile_wish wish = { .from_ns = s->from_ns, .to_ns = s->to_ns };
	uint32_t *tracks = xcalloc(l->tracks.count + 1, sizeof(*tracks));
	const struct answer_far far = { .text = "" };
	struct tile tile;

	for (size_t i = 0; i < l->tracks.count; i++) {
		if (kept_has_track(s->tracks, l, &l->tracks.items[i])) {
			tracks[wish.track_count++] = (uint32_t)i;
		}
	}
	wish.tracks = tracks;
	wish.columns = SIZE_MAX / 2; /* narrower than a nanosecond: nothing is joined */
	bool is_near = read_items(s, &tile, &wish);

	if (!is_near && !s->is_exact) {
		wish.columns = PICTURE_COLUMNS;
		tile_from_levels(&tile, l, &wish);
	}
	bool ok = is_near || !s->is_exact;

	if (ok) {
		out_str(out, "{\"trace\":");
		answer_trace(s->viewer, &saved, out);
		out_str(out, ",\"overview\":");
		answer_overview(s->viewer, &saved, out);
		out_printf(out, ",\"part\":[%" PRId64 ",%" PRId64 "],\"isPicture\":%s,\"tile\":",
			s->from_ns - first, s->to_ns - first, s->is_exact ? "false" : "true");
		answer_put_tile(s->viewer, &tile, is_near ? NULL : &far, out);
		tile_fini(&tile);
		ok = put_beside(s, out);
		out_char(out, '}');
	}
	free(tracks);
	return ok;
}

/* ---- Events ---- */

/* The flows of the events that are written, with small numbers. */
struct saved_flows {
	struct timeline timeline;
	struct timeline_counters none;
	struct timeline_flows flows; /* of the last event */
	struct keys numbers;
};

static void skip_thread(void *flows, const struct timeline_thread *thread)
{
	(void)flows;
	(void)thread;
}

static void skip_gap(void *flows, const struct timeline_thread *thread, const struct record *rec)
{
	(void)flows;
	(void)thread;
	(void)rec;
}

static void skip_value(void *flows, const struct timeline_value *value)
{
	(void)flows;
	(void)value;
}

static void keep_flows(void *flows, const struct timeline_event *e)
{
	struct saved_flows *f = flows;

	if (e->rec) {
		f->flows = e->flows;
	}
}

static const struct timeline_style flow_style = {
	.put_thread = skip_thread,
	.put_event = keep_flows,
	.put_gap = skip_gap,
	.put_value = skip_value,
};

/* Writes the part of a life and the flows of an event: `PART:NUMBER:NUMBER`; `-`: none. */
static void put_flows(struct saved_flows *f, const struct record *rec, struct out *out)
{
	f->flows = (struct timeline_flows){ 0 };
	timeline_add(&f->timeline, rec);
	if (f->flows.count == 0) {
		out_str(out, "- ");
		return;
	}
	out_printf(out, "%d", f->flows.part);
	for (size_t i = 0; i < f->flows.count; i++) {
		const struct key key = { .scope = (int64_t)f->flows.ids[i] };
		uint32_t number = keys_get(&f->numbers, &key);

		if (number == KEYS_NONE) {
			number = (uint32_t)f->numbers.count;
			keys_swap(&f->numbers, &key, number);
		}
		out_printf(out, ":%u", number);
	}
	out_char(out, ' ');
}

/* Writes the lines of events that saved.js reads. */
static void put_events(
	const struct save *s, struct reader *r, struct filter *filter, struct out *out)
{
	const struct reader_needs needs = {
		.from_ns = s->from_ns, .to_ns = s->to_ns, .is_part = true
	};
	int64_t first = viewer_first_ns(s->viewer);
	struct saved_flows flows = { 0 };
	enum read_result result;
	struct lines lines;
	struct record rec;

	reader_limit(r, &needs);
	lines_init(&lines, out, r, &lines_json, TIMESTAMP_ABSOLUTE);
	timeline_init(&flows.timeline, r, &flows.none, &flow_style, &flows);
	flows.timeline.is_across = s->viewer->is_across;
	while ((result = reader_next(r, &rec)) == READ_RECORD || result == READ_PROBLEM) {
		if (result != READ_RECORD || rec.kind != RECORD_EVENT ||
			(int64_t)rec.ns < s->from_ns || !filter_passes(filter, &rec)) {
			continue;
		}
		if ((int64_t)rec.ns > s->to_ns) {
			break;
		}
		out_printf(out, "%" PRId64 " %u %" PRIu64 " %u %u ", (int64_t)rec.ns - first,
			rec.trace, rec.offset, viewer_name(s->viewer, rec.class),
			levels_thread(&s->viewer->levels, rec.trace, rec.pid, rec.tid));
		put_flows(&flows, &rec, out);
		lines_put_few(&lines, &rec, 1);
	}
	lines_fini(&lines);
	timeline_fini(&flows.timeline);
	keys_fini(&flows.numbers);
}

static bool put_all_events(const struct save *s, struct out *out)
{
	struct session *session = s->viewer->session;
	struct filter filter;
	struct reader *r = session_open_beside(session, &filter);

	if (r) {
		filter_start(&filter, r);
		filter.started = session->filter.started;
		filter.first_ns = session->filter.first_ns;
		put_events(s, r, &filter, out);
	}
	filter_fini(&filter);
	reader_close(r);
	return r;
}

/* ---- The page ---- */

/* Writes a module's text; the modules that it imports have names instead of paths. */
static void put_module(struct out *out, const struct view_file *f)
{
	static const char path[] = " \"./";

	for (const char *const *line = f->lines; *line; line++) {
		const char *at = strstr(*line, path);
		bool is_import =
			at && (strncmp(*line, "import ", 7) == 0 || strstr(*line, " from \"./"));

		if (!is_import) {
			out_str(out, *line);
			continue;
		}
		out_bytes(out, *line, (size_t)(at - *line) + 2);
		out_str(out, "waymark/");
		out_str(out, at + sizeof(path) - 1);
	}
}

/* Writes the map of modules' names to their texts. */
static void put_modules(struct out *out)
{
	const char *comma = "";

	out_str(out, "<script type=\"importmap\">{\"imports\":{");
	for (const struct view_file *f = view_files; f->path; f++) {
		struct out text;

		if (!strstr(f->path, ".js")) {
			continue;
		}
		out_init(&text, OUT_TO_MEMORY);
		put_module(&text, f);
		out_printf(out, "%s\"waymark%s\":\"data:text/javascript;base64,", comma, f->path);
		out_base64(out, (const unsigned char *)text.data, text.len);
		out_char(out, '"');
		out_fini(&text);
		comma = ",";
	}
	out_str(out, "}}</script>\n");
}

static void put_style(struct out *out)
{
	out_str(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		     "script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:; "
		     "base-uri 'none'; form-action 'none'\">\n<style>\n");
	for (const struct view_file *f = view_files; f->path; f++) {
		for (const char *const *line = f->lines; strstr(f->path, ".css") && *line; line++) {
			out_str(out, *line);
		}
	}
	out_str(out, "</style>\n");
}

/* Writes the page, with `data` where its program is called. */
static void put_page(struct out *out, const struct out *data)
{
	const struct view_file *page = view_files;

	while (strcmp(page->path, "/") != 0) {
		page++;
	}
	for (const char *const *line = page->lines; *line; line++) {
		if (strstr(*line, "rel=\"stylesheet\"")) {
			put_style(out);
		} else if (strstr(*line, "<script type=\"module\"")) {
			out_bytes(out, data->data, data->len);
			put_modules(out);
			out_str(out,
				"<script type=\"module\">import \"waymark/app.js\";</script>\n");
		} else {
			out_str(out, *line);
		}
	}
}

enum save_result save_page(
	struct viewer *v, const struct save_part *part, bool is_exact, struct out *out)
{
	struct save s = { .viewer = v,
		.from_ns = part->from_ns,
		.to_ns = part->to_ns,
		.tracks = part->tracks,
		.is_exact = is_exact };
	struct out shown;
	struct out events;
	struct out data;

	out_init(&shown, OUT_TO_MEMORY);
	if (!put_shown(&s, &shown)) {
		out_fini(&shown);
		return s.is_unreadable ? SAVE_FAILED : SAVE_TOO_MUCH;
	}
	out_init(&data, OUT_TO_MEMORY);
	out_init(&events, OUT_TO_MEMORY);
	bool ok = !is_exact || put_all_events(&s, &events);

	ok = put_data(&data, "saved-shown", &shown) && ok;
	ok = put_data(&data, "saved-events", &events) && ok;
	if (ok) {
		put_page(out, &data);
	}
	out_fini(&data);
	return ok ? SAVE_DONE : SAVE_FAILED;
}
