/* SPDX-License-Identifier: MIT */
/*
 * Writes a flame graph as SVG: children above their parent, or below it, the width of each frame
 * proportional to its time. Frames are written in the order of a walk from parent to child, from
 * which the script derives the tree. Invariant: the file is XML, whatever bytes names have.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "view/flamegraph/flamegraph.h"

/* The script, line by line: flamegraph.js. The last line is NULL. */
extern const char *const flamegraph_script[];

/* Lengths of the picture, in pixels; flamegraph.js repeats WIDTH, INSET and COLUMN. */
#define WIDTH 1200
#define ROW 18
#define TOP 54
#define BOTTOM 10
#define INSET 3
#define COLUMN 7.3

/* Thinner frames are not drawn: a tenth of a pixel, in thousandths. */
#define THINNEST 100

/* The colours for a light and a dark screen: text is black or nearly white. */
static const struct shade {
	unsigned int root;
	unsigned int light; /* percent, of frames, and of the kernel's */
	unsigned int kernel_light;
	/* Of differences, from none to the largest: */
	unsigned int grey;
	unsigned int bright;
	unsigned int dark;
} day = { 0xd8d8d8, 74, 68, 0xe0, 0xff, 0x70 }, night = { 0x44484f, 38, 32, 0x50, 0xd0, 0x28 };

/* Positions are rounded to thousandths of a pixel. */
#define PER_PIXEL 1000

/*
 * Returns the position of a time, in thousandths of a pixel. No sum of rounded parts, which would
 * depend on the machine.
 */
static uint64_t place(const struct flamegraph *g, uint64_t ns)
{
	return (uint64_t)((double)ns / (double)g->root->total_ns * (WIDTH * PER_PIXEL));
}

/* Returns the right edge of a frame, in nanoseconds; at most UINT64_MAX. */
static uint64_t end_of(const struct flame_frame *f)
{
	return f->start_ns > UINT64_MAX - f->total_ns ? UINT64_MAX : f->start_ns + f->total_ns;
}

static bool is_drawn(const struct flamegraph *g, const struct flame_frame *f)
{
	return g->root->total_ns > 0 && place(g, f->total_ns) >= THINNEST;
}

static void put_pixels(struct out *out, uint64_t thousandths)
{
	out_printf(out, "%" PRIu64 ".%03u", thousandths / PER_PIXEL,
		(unsigned int)(thousandths % PER_PIXEL));
}

static void put_byte(struct out *out, char c)
{
	static const char *const entities[] = {
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;"
	};
	unsigned char byte = (unsigned char)c;
	char escape[ESCAPE_MAX];

	if (byte >= 0x80 || byte < 0x20 || byte == 0x7f) {
		out_bytes(out, escape, escape_byte(escape, byte));
	} else if (byte < sizeof(entities) / sizeof(entities[0]) && entities[byte]) {
		out_str(out, entities[byte]);
	} else {
		out_char(out, c);
	}
}

/* True for a character that must be escaped: XML has no U+FFFE and U+FFFF. */
static bool is_escaped(uint32_t code)
{
	return escape_is_misleading(code) || code == 0xfffe || code == 0xffff;
}

/* Writes the character at `s` as harmless XML; returns its bytes. */
static size_t put_character(struct out *out, const char *s, size_t len)
{
	size_t n = utf8_length(s, len);
	uint32_t code = utf8_decode(s, n);
	char escape[ESCAPE_CODE_MAX];

	if (n <= 1) {
		put_byte(out, *s);
		return 1;
	}
	if (is_escaped(code)) {
		out_bytes(out, escape, escape_code(escape, code));
	} else {
		out_bytes(out, s, n);
	}
	return n;
}

static void put_text(struct out *out, const char *s)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < len;) {
		i += put_character(out, s + i, len - i);
	}
}

/*
 * Returns the columns that a character may need: letters of other scripts may be wide, escapes are
 * long.
 */
static size_t columns_of(const char *s, size_t n)
{
	if (n > 1) {
		return is_escaped(utf8_decode(s, n)) ? ESCAPE_CODE_MAX : 2;
	}
	return (unsigned char)*s < 0x20 || (unsigned char)*s >= 0x7f ? ESCAPE_MAX : 1;
}

/* Returns the number of bytes of `s` that fit into `columns`. */
static size_t fitting(const char *s, size_t len, size_t columns)
{
	size_t i = 0;

	while (i < len) {
		size_t n = utf8_length(s + i, len - i);
		size_t wide = columns_of(s + i, n);

		if (wide > columns) {
			break;
		}
		columns -= wide;
		i += n ? n : 1;
	}
	return i;
}

static size_t columns_in(double width)
{
	double room = (width - 2 * INSET) / COLUMN;

	return room < 0 ? 0 : (size_t)room;
}

/* Writes the name, or its first characters and `..`, or nothing if not even a letter fits. */
static void put_label(struct out *out, const char *name, size_t columns)
{
	size_t len = strlen(name);
	size_t end = fitting(name, len, columns);
	bool cut = end < len;

	if (cut) {
		end = fitting(name, len, columns > 2 ? columns - 2 : 0);
	}
	for (size_t i = 0; i < end;) {
		i += put_character(out, name + i, len - i);
	}
	if (cut && end > 0) {
		out_str(out, "..");
	}
}

static void put_duration(struct out *out, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns >= units[i].ns) {
			out_printf(out, "%" PRIu64 ".%03u %s", ns / units[i].ns,
				(unsigned int)(ns % units[i].ns / (units[i].ns / 1000)),
				units[i].name);
			return;
		}
	}
	out_printf(out, "%" PRIu64 " ns", ns);
}

/* Writes the name, and the time if there is room after the whole name. */
static void put_frame_label(struct out *out, const struct flame_frame *f, size_t columns)
{
	struct out time;
	size_t len = strlen(f->name);

	out_init(&time, OUT_TO_MEMORY);
	out_str(&time, " (");
	put_duration(&time, f->total_ns);
	out_char(&time, ')');
	put_label(out, f->name, columns);
	if (time.len < columns && fitting(f->name, len, columns - time.len) == len) {
		out_bytes(out, time.data, time.len);
	}
	out_fini(&time);
}

static double share_of(uint64_t ns, uint64_t all)
{
	return all > 0 ? (double)ns / (double)all : 0;
}

/* Writes the tooltip: the name, then its numbers. */
static void put_tooltip(const struct flamegraph *g, struct out *out, const struct flame_frame *f)
{
	long rounded = lround(share_of(f->total_ns, g->root->total_ns) * 10000);

	out_str(out, "<title>");
	put_text(out, f->name);
	out_str(out, "\ntotal ");
	put_duration(out, f->total_ns);
	out_printf(out, ", %ld.%02ld %%\nself ", rounded / 100, rounded % 100);
	put_duration(out, f->self_ns);
	out_printf(out, "\ncount %" PRIu64, f->count);
	if (g->is_compared) {
		rounded = lround(share_of(f->before_ns, g->root->before_ns) * 10000);
		out_str(out, "\nbefore ");
		put_duration(out, f->before_ns);
		out_printf(out, ", %ld.%02ld %%", rounded / 100, rounded % 100);
	}
	out_str(out, "</title>");
}

/*
 * Returns a colour of a shade: that of the name in the timeline of `waymark view`, see colour() in
 * cmd/view/page/format.js; the kernel's frames are nearly grey.
 */
static unsigned int colour_of(const struct flame_frame *f, const struct shade *shade)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	unsigned int light = f->is_kernel ? shade->kernel_light : shade->light;
	unsigned int rgb = 0;

	if (!f->parent) {
		return shade->root;
	}
	for (const char *c = f->name; *c; c++) {
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	}
	hash ^= hash >> 15;
	unsigned int hue = hash % 360;
	unsigned int saturation = f->is_kernel ? 10 : 45 + (hash >> 9) % 25; /* percent */
	/* From HSL to RGB, in parts of 10000. */
	unsigned int chroma = 2 * (light < 50 ? light : 100 - light) * saturation;

	for (unsigned int i = 0; i < 3; i++) {
		unsigned int from = (hue + 120 * (3 - i)) % 360; /* degrees from red, green, blue */
		unsigned int away = from < 180 ? from : 360 - from;
		unsigned int share = away <= 60 ? 60 : away >= 120 ? 0 : 120 - away;
		unsigned int part = 100 * light - chroma / 2 + chroma * share / 60;

		rgb = rgb << 8 | (part * 255 + 5000) / 10000;
	}
	return rgb;
}

/*
 * Returns red if the frame has a larger share of all time than before, blue if it has a smaller
 * one, the deeper the larger the difference is relative to the larger share; grey if it has the
 * same.
 */
static unsigned int colour_of_difference(
	const struct flamegraph *g, const struct flame_frame *f, const struct shade *shade)
{
	double now = share_of(f->total_ns, g->root->total_ns);
	double before = share_of(f->before_ns, g->root->before_ns);
	double most = now > before ? now : before;
	double depth = most > 0 ? fabs(now - before) / most : 0;
	unsigned int bright =
		shade->grey + (unsigned int)lround((shade->bright - shade->grey) * depth);
	unsigned int dark = shade->grey - (unsigned int)lround((shade->grey - shade->dark) * depth);

	return now > before ? bright << 16 | dark << 8 | dark : dark << 16 | dark << 8 | bright;
}

static unsigned int shade_of(
	const struct flamegraph *g, const struct flame_frame *f, const struct shade *shade)
{
	return g->is_compared ? colour_of_difference(g, f, shade) : colour_of(f, shade);
}

static void put_frame(const struct flamegraph *g, struct out *out, const struct flame_frame *f)
{
	uint64_t x = place(g, f->start_ns);
	uint64_t width = place(g, end_of(f)) - x;
	unsigned int y = TOP + ROW * (g->is_icicle ? f->depth : g->deepest - f->depth);

	out_printf(out,
		"<g class=\"f\" data-depth=\"%" PRIu32 "\" data-start=\"%" PRIu64
		"\" data-total=\"%" PRIu64 "\">",
		f->depth, f->start_ns, f->total_ns);
	put_tooltip(g, out, f);
	out_str(out, "<rect x=\"");
	put_pixels(out, x);
	out_printf(out, "\" y=\"%u\" width=\"", y);
	put_pixels(out, width);
	out_printf(out, "\" height=\"%d\" fill=\"#%06x\" style=\"--night: #%06x\"/><text x=\"",
		ROW - 1, shade_of(g, f, &day), shade_of(g, f, &night));
	put_pixels(out, x + INSET * PER_PIXEL);
	out_printf(out, "\" y=\"%u\">", y + ROW - 5);
	put_frame_label(out, f, columns_in((double)width / PER_PIXEL));
	out_str(out, "</text></g>\n");
}

/* Returns the frame after a drawn or skipped one, its children first; NULL at the end. */
static struct flame_frame *step(struct flame_frame *f, bool into)
{
	if (into && f->child) {
		f->child->start_ns = f->start_ns;
		return f->child;
	}
	while (f && !f->next) {
		f = f->parent;
	}
	if (!f) {
		return NULL;
	}
	f->next->start_ns = end_of(f);
	return f->next;
}

/* The number of drawn frames, and the depth of the deepest. */
struct drawn {
	uint64_t frames;
	uint32_t depth;
};

/* Walks over all drawn frames and writes them, unless `out` is NULL. */
static struct drawn walk(const struct flamegraph *g, struct out *out)
{
	struct drawn drawn = { 0 };
	bool into;

	for (struct flame_frame *f = g->root; f; f = step(f, into)) {
		into = is_drawn(g, f);
		if (!into) {
			continue;
		}
		drawn.frames++;
		drawn.depth = f->depth > drawn.depth ? f->depth : drawn.depth;
		if (out) {
			put_frame(g, out, f);
		}
	}
	return drawn;
}

static void put_head(struct out *out, const char *title, unsigned int height)
{
	out_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\""
		" viewBox=\"0 0 %d %u\">\n",
		WIDTH, height, WIDTH, height);
	out_str(out, "<style>\n"
		     "text { font: 12px monospace; white-space: pre; }\n"
		     ".f { cursor: pointer; }\n"
		     ".f text { pointer-events: none; }\n"
		     ".f:hover rect { stroke: #000; stroke-width: 0.5; }\n"
		     ".match rect { fill: #d58cff; }\n"
		     ".above { opacity: 0.6; }\n"
		     ".button { cursor: pointer; fill: #0645ad; }\n"
		     ".more { fill: #d00000; }\n"
		     ".less { fill: #0000d0; }\n"
		     "@media (prefers-color-scheme: dark) {\n"
		     "svg { color-scheme: dark; background: #16181c; }\n"
		     "#back { fill: #16181c; }\n"
		     "text { fill: #e8e8e8; }\n"
		     ".f rect { fill: var(--night); }\n"
		     ".f text { fill: #fff; }\n"
		     ".f:hover rect { stroke: #fff; }\n"
		     ".match rect { fill: #a020e0; }\n"
		     ".button { fill: #78b0ff; }\n"
		     ".more { fill: #ff6868; }\n"
		     ".less { fill: #8c8cff; }\n"
		     "}\n"
		     "</style>\n"
		     "<rect id=\"back\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
		     "<text id=\"title\" x=\"600\" y=\"20\" text-anchor=\"middle\""
		     " style=\"font-size: 15px\">");
	out_str(out, "<title>");
	put_text(out, title);
	out_str(out, "</title>");
	put_label(out, title, columns_in(WIDTH - 600));
	out_str(out, "</text>\n");
}

/* Writes the meaning of the width, and the time of the whole width. */
static void put_total(struct out *out, const struct flamegraph *g)
{
	out_str(out, "<text x=\"3\" y=\"42\"><tspan id=\"total\">");
	if (g->root->total_ns > 0) {
		out_str(out, "width: time, ");
		put_duration(out, g->root->total_ns);
		out_str(out, " in all");
	} else {
		out_str(out, "no time");
	}
	out_str(out, "</tspan>; ");
}

static void put_controls(
	struct out *out, const struct flamegraph *g, const struct flame_counts *counts)
{
	out_str(out, "<text id=\"reset\" class=\"button\" x=\"3\" y=\"20\" visibility=\"hidden\">"
		     "reset zoom</text>\n"
		     "<text id=\"search\" class=\"button\" x=\"1197\" y=\"20\" text-anchor=\"end\""
		     " visibility=\"hidden\">search</text>\n"
		     "<text id=\"found\" x=\"1197\" y=\"42\" text-anchor=\"end\"></text>\n");
	put_total(out, g);
	out_printf(out,
		"<tspan id=\"counts\" data-frames=\"%" PRIu64 "\" data-left-out=\"%" PRIu64
		"\">%" PRIu64 " frames",
		counts->frames, counts->left_out, counts->frames);
	if (counts->left_out > 0) {
		out_printf(
			out, ", %" PRIu64 " left out: thinner than 0.1 pixels", counts->left_out);
	}
	out_str(out, "</tspan>");
	if (g->is_compared) {
		out_str(out,
			"; <tspan id=\"legend\">share of the time: <tspan class=\"more\">red: "
			"more than before</tspan>, <tspan class=\"less\">blue: less</tspan></tspan>");
	}
	out_str(out, "</text>\n");
}

struct flame_counts flamegraph_put(struct flamegraph *g, struct out *out, const char *title)
{
	flamegraph_settle(g);
	struct drawn drawn = walk(g, NULL);
	uint64_t below = drawn.frames > 0 ? drawn.frames - 1 : 0;
	struct flame_counts counts = { .frames = g->frames.count - 1 };

	counts.left_out = counts.frames - below;
	g->deepest = drawn.depth;
	put_head(out, title, TOP + ROW * (drawn.depth + 1) + BOTTOM);
	put_controls(out, g, &counts);
	if (drawn.frames == 0) {
		out_printf(out, "<text x=\"3\" y=\"%d\">no time was measured</text>\n", TOP + ROW);
	}
	out_printf(out, "<g id=\"frames\" data-root=\"%s\">\n", g->is_icicle ? "top" : "bottom");
	walk(g, out);
	out_str(out, "</g>\n<script><![CDATA[\n");
	for (size_t i = 0; flamegraph_script[i]; i++) {
		out_str(out, flamegraph_script[i]);
	}
	out_str(out, "]]></script>\n</svg>\n");
	return counts;
}
