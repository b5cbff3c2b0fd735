/* SPDX-License-Identifier: MIT */
/*
 * The declaration that stands in a comment before an `event` block: formats and
 * C types, for which CTF has no place. It is read by the front end that reads
 * declaration files of its language, and believed only where it fits the fields.
 */
#include "decl/decl.h"
#include "read/ctf/event.h"

struct declaration {
	const char *file;
	unsigned int line;
	const char *text;
	bool is_toml;
};

/* Where ` <line>: ` ends in `text`, with the number in `line`; NULL when there is none. */
static const char *find_line(const char *colon, const char *end, unsigned int *line)
{
	const char *p = colon + 1;

	for (*line = 0; p < end && is_digit((unsigned char)*p) && *line < 100000000; p++) {
		*line = *line * 10 + (unsigned int)(*p - '0');
	}
	return p > colon + 1 && end - p >= 2 && p[0] == ':' && p[1] == ' ' ? p + 2 : NULL;
}

/* The line of a declaration file, with the comment's ends in it as they were; TOML has none. */
static const char *unescape(struct arena *a, const char *text, const char *end, bool is_toml)
{
	char *line = arena_alloc(a, (size_t)(end - text) + 2);
	char *out = line;

	for (const char *p = text; p < end; p++) {
		bool is_mark =
			!is_toml && end - p >= 3 && p[0] == '*' && p[1] == '\\' && p[2] == '/';

		*out++ = *p == '\n' ? ' ' : *p;
		p += is_mark;
	}
	*out = '\n';
	return line;
}

/* Takes `<file>:<line>: <declaration>` apart. */
static bool split(struct declaration *d, struct arena *a, struct span text)
{
	const char *end = text.text + text.len;
	const char *colon = text.text;
	const char *rest = NULL;

	while (!rest && (colon = memchr(colon, ':', (size_t)(end - colon)))) {
		rest = find_line(colon, end, &d->line);
		colon++;
	}
	if (!rest) {
		return false;
	}
	d->file = arena_strndup(a, text.text, (size_t)(colon - 1 - text.text));
	d->text = unescape(a, rest, end, d->is_toml);
	return true;
}

/* The first event that the declaration adds; NULL: none, or what else it is not. */
static struct event *first_added(const struct model *m, size_t before)
{
	if (m->events.count == before) {
		return NULL;
	}
	struct event *e = m->events.items[before];

	/* A scope comes with its end. */
	return m->events.count == before + 1 + (e->end != NULL) ? e : NULL;
}

/* The only event of the declaration; NULL when it has none or several. */
static struct event *parse(struct ctf_metadata *md, const struct declaration *d)
{
	static const struct decl_options options = { .lenient = true, .old = true };
	struct source *source = arena_new(&md->arena, struct source);
	size_t count = md->model.events.count;
	struct diag diag;

	/* A name for its suffix: the comment's language does not depend on the file's. */
	*source = (struct source){ d->is_toml ? ".toml" : "", d->text, strlen(d->text) };
	diag_init(&diag);
	bool ok = decl_read(&md->model, &diag, source, &options);

	diag_fini(&diag);
	source->name = d->file;
	struct event *e = ok ? first_added(&md->model, count) : NULL;

	if (e) {
		e->line = d->line;
	}
	return e;
}

/* Whether an argument of that type can lie in that field. */
static bool type_fits(const struct type *t, const struct layout_field *f)
{
	static const uint8_t forms[] = {
		[TYPE_STRING] = LAYOUT_STRING,
		[TYPE_FLOAT] = LAYOUT_FLOAT,
		[TYPE_TEXT] = LAYOUT_TEXT,
		[TYPE_BYTES] = LAYOUT_BYTES,
		[TYPE_DEBUG] = LAYOUT_DEBUG,
		[TYPE_TCG] = LAYOUT_NUMBER,
	};
	unsigned int form =
		t->class == TYPE_INTEGER && t->size64 > 8 ? LAYOUT_PAIR : forms[t->class];

	if (f->form != form || form == LAYOUT_STRING || form > LAYOUT_PAIR) {
		return f->form == form;
	}
	if (f->size != t->size64 && f->size != t->size32) {
		return false;
	}
	return t->class != TYPE_INTEGER || t->is_char || t->is_signed == f->is_signed;
}

static bool event_fits(const struct event *e, const struct record_layout *l)
{
	if (e->arg_count != l->count) {
		return false;
	}
	for (size_t i = 0; i < l->count; i++) {
		if (!type_fits(&e->args[i].type, &l->fields[i])) {
			return false;
		}
	}
	return true;
}

/* What the declaration leaves to the program's host, its fields tell. */
static void settle_types(struct event *e, const struct record_layout *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct type *t = &e->args[i].type;

		if (l->fields[i].form == LAYOUT_NUMBER) {
			t->size32 = t->size64 = l->fields[i].size;
		}
		if (t->is_char) {
			t->is_signed = l->fields[i].is_signed;
		}
	}
}

/* Whether that is the event's name, but for blanks around it, which front ends take off. */
static bool is_named(const struct event *e, const char *name)
{
	static const char blanks[] = " \t\r\n";
	size_t n = strlen(e->name);

	name += strspn(name, blanks);
	return strncmp(name, e->name, n) == 0 && !name[n + strspn(name + n, blanks)];
}

struct event *ctf_declared_event(
	struct ctf_metadata *md, const struct ctf_scan *scan, const char *name)
{
	struct declaration d = { .is_toml = scan->declaration_is_toml };

	if (!scan->declaration.text || !split(&d, &md->arena, scan->declaration)) {
		return NULL;
	}
	struct event *e = parse(md, &d);

	if (!e || !is_named(e, name)) {
		return NULL;
	}
	e->name = name;
	return e;
}

const struct event *ctf_fitting_event(struct ctf_metadata *md, struct event *declared,
	const char *name, const struct record_layout *layout)
{
	if (declared && event_fits(declared, layout)) {
		settle_types(declared, layout);
		return declared;
	}
	const struct event *given = md->declarations ? model_find(md->declarations, name) : NULL;

	return given && event_fits(given, layout) ? given : NULL;
}
