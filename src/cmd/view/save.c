/* SPDX-License-Identifier: MIT */
/*
 * Saves the page with its data as one file, which shows a time of the traces without a server: the
 * files of the page, and what it would ask for, compressed by deflate, in base64. Modules have no
 * addresses in a file of the disk: a map gives them names, with their texts as data: URLs.
 */
#include "cmd/view/save.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "cmd/view/answer/answers.h"
#include "timeline/tile.h"
#include "view/lines.h"

/* Slices, events and losses of a page: some 10 MB, which a browser opens in a second. */
#define ITEMS_MAX ((size_t)1 << 19)

/* Steps of a picture, whose items need not be single ones. */
#define PICTURE_COLUMNS 2000

/* Columns of the whole trace. */
#define OVERVIEW_COLUMNS "1000"

struct save {
	struct viewer *viewer;
	int64_t from_ns;
	int64_t to_ns;
};

/* ---- Data ---- */

static void put_base64(struct out *out, const unsigned char *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned int bits = (unsigned int)data[i] << 16 |
				    (unsigned int)(left > 1 ? data[i + 1] : 0) << 8 |
				    (left > 2 ? data[i + 2] : 0);
		const char four[] = { digits[bits >> 18], digits[bits >> 12 & 63],
			left > 1 ? digits[bits >> 6 & 63] : '=',
			left > 2 ? digits[bits & 63] : '=' };

		out_bytes(out, four, sizeof(four));
	}
}

/* Writes an element with compressed data, which it frees. */
static bool put_data(struct out *out, const char *id, struct out *plain)
{
	uLongf size = compressBound(plain->len);
	unsigned char *packed = xrealloc(NULL, size);
	bool ok = compress2(packed, &size, (const Bytef *)plain->data, plain->len,
			  Z_BEST_COMPRESSION) == Z_OK;

	if (ok) {
		out_printf(out, "<script type=\"text/plain\" id=\"%s\">", id);
		put_base64(out, packed, size);
		out_str(out, "</script>\n");
	}
	free(packed);
	out_fini(plain);
	return ok;
}

/* The arguments of the questions whose answers are saved. */
static const char *saved_argument(void *data, const char *name)
{
	(void)data;
	return strcmp(name, "columns") == 0 ? OVERVIEW_COLUMNS : NULL;
}

/* Fills a tile with all items; false if there are too many, or they cannot be read. */
static bool read_items(const struct save *s, struct tile *tile, const struct tile_wish *wish)
{
	struct near n = { .from_ns = s->from_ns, .to_ns = s->to_ns, .limit = ITEMS_MAX };
	bool ok = answer_read_near(s->viewer, &n) && !n.is_cut;

	if (ok) {
		tile_from_near(tile, &n, wish);
	}
	near_fini(&n);
	return ok;
}

/* Writes what is shown; false if it must be single items, and these are too many. */
static bool put_shown(const struct save *s, bool is_exact, struct out *out)
{
	struct levels *l = &s->viewer->levels;
	const struct question saved = { .get = saved_argument };
	int64_t first = viewer_first_ns(s->viewer);
	struct tile_wish wish = {
		.from_ns = s->from_ns, .to_ns = s->to_ns, .track_count = l->tracks.count
	};
	uint32_t *tracks = xcalloc(wish.track_count + 1, sizeof(*tracks));
	struct tile tile;

	for (size_t i = 0; i < wish.track_count; i++) {
		tracks[i] = (uint32_t)i;
	}
	wish.tracks = tracks;
	wish.columns = SIZE_MAX / 2; /* narrower than a nanosecond: nothing is joined */
	bool is_near = read_items(s, &tile, &wish);

	if (!is_near && !is_exact) {
		wish.columns = PICTURE_COLUMNS;
		tile_from_levels(&tile, l, &wish);
	}
	if (is_near || !is_exact) {
		out_str(out, "{\"trace\":");
		answer_trace(s->viewer, &saved, out);
		out_str(out, ",\"overview\":");
		answer_overview(s->viewer, &saved, out);
		out_printf(out, ",\"part\":[%" PRId64 ",%" PRId64 "],\"isPicture\":%s,\"tile\":",
			s->from_ns - first, s->to_ns - first, is_exact ? "false" : "true");
		answer_put_tile(s->viewer, &tile, is_near, out);
		out_char(out, '}');
		tile_fini(&tile);
	}
	free(tracks);
	return is_near || !is_exact;
}

/* Writes the lines of events that saved.js reads. */
static void put_events(
	const struct save *s, struct reader *r, struct filter *filter, struct out *out)
{
	const struct reader_needs needs = {
		.from_ns = s->from_ns, .to_ns = s->to_ns, .is_part = true
	};
	int64_t first = viewer_first_ns(s->viewer);
	enum read_result result;
	struct lines lines;
	struct record rec;

	reader_limit(r, &needs);
	lines_init(&lines, out, r, &lines_json, TIMESTAMP_ABSOLUTE);
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
		lines_put_few(&lines, &rec, 1);
	}
	lines_fini(&lines);
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
		put_base64(out, (const unsigned char *)text.data, text.len);
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
	const struct save s = { .viewer = v, .from_ns = part->from_ns, .to_ns = part->to_ns };
	struct out shown;
	struct out events;
	struct out data;

	out_init(&shown, OUT_TO_MEMORY);
	if (!put_shown(&s, is_exact, &shown)) {
		out_fini(&shown);
		return SAVE_TOO_MUCH;
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
