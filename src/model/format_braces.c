/* SPDX-License-Identifier: MIT */
/*
 * Makes segments from the pieces of a message with braces that src/brace finds. Consecutive pieces
 * of text, as around `{{`, are joined.
 */
#include "model/format.h"

#include "base/vec.h"

struct message {
	struct arena *arena;
	struct diag *diag;
	const struct placed *source;
	VEC(struct segment) segments;
	char *text; /* text of all segments; has room for the whole message */
	size_t used;
	size_t begin; /* start of the unfinished segment */
};

/* Ends a segment, with a conversion unless it is the last. */
static void add_segment(struct message *m, const struct conversion *c)
{
	struct segment s = { .text = m->text + m->begin, .len = m->used - m->begin };

	if (c) {
		s.has_conversion = true;
		s.conversion = *c;
	}
	if (c || s.len > 0) {
		vec_push(&m->segments, s);
	}
	m->begin = m->used;
}

static void add_placeholder(struct message *m, struct format *f, const struct brace_piece *piece)
{
	struct brace_spec *spec = arena_new(m->arena, struct brace_spec);

	*spec = piece->spec;
	add_segment(m, &(struct conversion){
			       .width = -1,
			       .precision = -1,
			       .width_arg = FORMAT_NO_ARG,
			       .precision_arg = FORMAT_NO_ARG,
			       .arg = (int)f->args++,
			       .length = "",
			       .spec = spec,
			       .at = placed_location(m->source, piece->offset),
		       });
}

static bool read_pieces(struct message *m, struct format *f)
{
	struct brace_parser parser;
	struct brace_piece piece;

	brace_parse(&parser, m->source->span.text, m->source->span.len);
	while (brace_next(&parser, &piece) == BRACE_TEXT || piece.kind == BRACE_PLACEHOLDER) {
		if (piece.kind == BRACE_PLACEHOLDER) {
			add_placeholder(m, f, &piece);
			continue;
		}
		memcpy(m->text + m->used, piece.text, piece.length);
		m->used += piece.length;
	}
	add_segment(m, NULL);
	if (piece.kind == BRACE_ERROR) {
		/* The error has the form "what is wrong: what to do". */
		const char *colon = strstr(piece.error, ": ");
		size_t len = colon ? (size_t)(colon - piece.error) : strlen(piece.error);

		diag_error(m->diag, placed_location(m->source, piece.offset),
			colon ? colon + 2 : NULL, "%.*s", (int)len, piece.error);
	}
	return piece.kind == BRACE_END;
}

bool format_parse_braces(
	struct format *f, struct arena *a, struct diag *d, const struct placed *message)
{
	struct span span = message->span;
	struct message m = { .arena = a, .diag = d, .source = message };

	*f = (struct format){ .style = FORMAT_BRACES, .at = placed_location(message, 0) };
	f->source = arena_strndup(a, span.text, span.len);
	const char *nul = memchr(span.text, '\0', span.len);

	if (nul) {
		diag_error(d, placed_location(message, (size_t)(nul - span.text)), "remove it",
			"a message cannot hold a NUL");
		return false;
	}
	m.text = arena_alloc(a, span.len + 1);
	bool good = read_pieces(&m, f);

	f->count = m.segments.count;
	f->segments = arena_array(a, struct segment, f->count);
	if (f->count > 0) {
		memcpy(f->segments, m.segments.items, f->count * sizeof(*f->segments));
	}
	vec_fini(&m.segments);
	return good;
}
