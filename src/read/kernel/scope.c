/* SPDX-License-Identifier: MIT */
/*
 * Makes records of markers. The end of a scope has a number that is unique in its process, which
 * most lines do not name, or only its thread. So open scopes are kept, and an end's record names
 * the scope and its thread, as in a native trace. Called by capture.c for each event.
 */
#include <string.h>

#include "base/compiler.h"
#include "read/kernel/capture.h"

/* Numbers of synchronous scopes begin here. */
#define FIRST_SYNC (INT64_C(1) << 31)

/* The lowest bits of key.name: whether a key is for ends by its own thread, or by any. */
enum { BY_THREAD = 1, BY_NUMBER, BY_BITS = 2 };

#define UNKNOWN "(unknown)"

void capture_scopes_init(struct capture *c)
{
	c->free = KEYS_NONE;
	c->number = FIRST_SYNC;
}

void capture_scopes_fini(struct capture *c)
{
	keys_fini(&c->thread_index);
	keys_fini(&c->open);
	vec_fini(&c->threads);
	vec_fini(&c->scopes);
}

/* ---- Threads ---- */

static struct capture_thread *thread_of(struct capture *c, uint32_t tid)
{
	const struct key key = { .tid = tid };
	uint32_t index = keys_get(&c->thread_index, &key);

	if (index == KEYS_NONE) {
		index = (uint32_t)c->threads.count;
		vec_push(&c->threads, ((struct capture_thread){ .top = KEYS_NONE }));
		keys_swap(&c->thread_index, &key, index);
	}
	return &c->threads.items[index];
}

/* Sets thread and process. Prefers the kernel's pid, as a program in a container sees another. */
static struct capture_thread *set_origin(
	struct capture *c, struct record *rec, const struct kernel_line *line, uint32_t pid)
{
	struct capture_thread *t = thread_of(c, line->tid);

	if (line->tgid || pid) {
		t->pid = line->tgid ? (uint32_t)line->tgid : pid;
	}
	rec->tid = line->tid;
	rec->pid = t->pid;
	return t;
}

/* ---- Open scopes ---- */

static uint32_t begin(struct capture *c, const struct record *rec, int64_t number)
{
	uint32_t index = c->free;

	if (index != KEYS_NONE) {
		c->free = c->scopes.items[index].below;
	} else {
		index = (uint32_t)c->scopes.count;
		vec_push(&c->scopes, ((struct capture_scope){ 0 }));
	}
	c->scopes.items[index] = (struct capture_scope){
		.class = rec->class,
		.number = number,
		.pid = rec->pid,
		.tid = rec->tid,
		.below = KEYS_NONE,
	};
	return index;
}

static void give_back(struct capture *c, uint32_t index)
{
	c->scopes.items[index].class = NULL;
	c->scopes.items[index].below = c->free;
	c->free = index;
}

static uint32_t hash_span(uint32_t hash, struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		hash = (hash ^ (unsigned char)s.text[i]) * 0x01000193u;
	}
	return hash;
}

/* Scopes of different names may have the same number. */
static uint32_t name_bits(const struct marker *m)
{
	return hash_span(hash_span(0x811c9dc5u, m->category), m->name) << BY_BITS;
}

/* True if that scope is open and has the name in its end. */
static bool is_it(const struct capture *c, uint32_t index, const struct marker *m)
{
	if (index == KEYS_NONE) {
		return false;
	}
	const struct capture_scope *s = &c->scopes.items[index];
	size_t category = m->category.len > 0 ? m->category.len + 1 : 0;

	return s->class && s->number == m->number &&
	       strlen(s->class->name) == category + m->name.len &&
	       memcmp(s->class->name + category, m->name.text, m->name.len) == 0;
}

/* Finds the scope that ends, preferably this thread's; NULL if the capture lacks its start. */
static const struct capture_scope *find_numbered(
	struct capture *c, const struct record *rec, const struct marker *m)
{
	uint32_t name = name_bits(m);
	const struct key places[] = {
		{ .tid = rec->tid, .name = name | BY_THREAD, .scope = m->number },
		{ .pid = rec->pid, .name = name | BY_NUMBER, .scope = m->number },
		{ .pid = 0, .name = name | BY_NUMBER, .scope = m->number },
	};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		uint32_t index = keys_get(&c->open, &places[i]);

		if (is_it(c, index, m)) {
			return &c->scopes.items[index];
		}
	}
	return NULL;
}

/* ---- Records ---- */

static struct value number_value(int64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = (uint64_t)number };
}

static struct value text_value(struct span text)
{
	return (struct value){
		.kind = VALUE_STRING,
		.text = text.text,
		.length = (uint32_t)text.len,
	};
}

/* Sets the class and values of a scope's end. `s` is NULL if the capture lacks its start. */
static void set_end(struct capture *c, struct record *rec, const struct marker *m,
	const struct capture_scope *s)
{
	c->values[0] = number_value(s ? s->number : m->number);
	c->values[1] = number_value(s ? s->tid : rec->tid);
	if (s) {
		rec->pid = s->pid;
		rec->class = capture_end_class(c, s->class);
		return;
	}
	const struct shape shape = {
		.category = m->category,
		.name = m->name.len > 0 ? m->name : (struct span){ UNKNOWN, strlen(UNKNOWN) },
		.number = "scope",
		.is_end = true,
	};

	rec->class = capture_class(c, &shape);
}

static void end_stacked(struct capture *c, struct record *rec, struct marker *m)
{
	struct capture_thread *t = thread_of(c, rec->tid);
	uint32_t index = t->top;

	if (index == KEYS_NONE) {
		m->number = c->number++;
		set_end(c, rec, m, NULL);
		return;
	}
	t->top = c->scopes.items[index].below;
	set_end(c, rec, m, &c->scopes.items[index]);
	give_back(c, index);
}

static void end_scope(struct capture *c, struct record *rec, struct marker *m)
{
	if (m->kind == MARKER_END) {
		end_stacked(c, rec, m);
		return;
	}
	const struct capture_scope *s = find_numbered(c, rec, m);

	set_end(c, rec, m, s);
	if (s) {
		uint32_t name = name_bits(m);
		const struct key own = {
			.tid = s->tid, .name = name | BY_THREAD, .scope = s->number
		};
		const struct key any = {
			.pid = s->pid, .name = name | BY_NUMBER, .scope = s->number
		};
		uint32_t index = (uint32_t)(s - c->scopes.items);

		keys_take(&c->open, &own);
		if (keys_get(&c->open, &any) == index) {
			keys_take(&c->open, &any);
		}
		give_back(c, index);
	}
}

static void begin_scope(
	struct capture *c, const struct record *rec, const struct marker *m, uint32_t *top)
{
	if (m->kind != MARKER_BEGIN) {
		/* keyed by thread, and by process for ends by other threads */
		uint32_t name = name_bits(m);
		const struct key own = {
			.tid = rec->tid, .name = name | BY_THREAD, .scope = m->number
		};
		const struct key any = {
			.pid = rec->pid, .name = name | BY_NUMBER, .scope = m->number
		};
		uint32_t index = begin(c, rec, m->number);
		uint32_t former = keys_swap(&c->open, &own, index);

		keys_swap(&c->open, &any, index);
		if (former != KEYS_NONE) {
			give_back(c, former);
		}
		return;
	}
	uint32_t index = begin(c, rec, m->number);

	c->scopes.items[index].below = *top;
	*top = index;
}

/* Splits `<name> <message>` or `[<name>] <message>`; false if no such event is declared. */
static bool set_declared(struct capture *c, struct marker *m)
{
	bool has_brackets = *m->message.text == '[';
	const char *name = m->message.text + has_brackets;
	const char *p = name;

	while (is_word((unsigned char)*p)) {
		p++;
	}
	size_t length = (size_t)(p - name);
	char *copy = out_reserve(&c->room, length + 1);

	if (has_brackets && *p++ != ']') {
		return false;
	}
	memcpy(copy, name, length);
	copy[length] = '\0';
	if ((*p && *p != ' ') || !model_find(c->base.declarations, copy)) {
		return false;
	}
	p += *p == ' ';
	m->name = (struct span){ name, length };
	m->message = (struct span){ p, strlen(p) };
	return true;
}

/* Sets the fields after the number; returns their number. */
static size_t take_fields(struct capture *c, struct marker_field *fields, const struct marker *m)
{
	char *room = out_reserve(
		&c->room, m->arguments.len + m->value.len + EVENT_ARGS_LIMIT * MARKER_VALUE_ROOM);

	if (m->value.text) {
		fields[0].expression = (struct span){ "value", strlen("value") };
		fields[0].value = marker_value(m->value, &room);
		return 1;
	}
	return marker_fields(fields, EVENT_ARGS_LIMIT - 2, m->arguments, room);
}

/* Sets class and values of every marker except ends. */
static void set_values(struct capture *c, struct record *rec, const struct marker *m)
{
	struct marker_field fields[EVENT_ARGS_LIMIT];
	struct value *values = c->values;
	const struct shape shape = {
		.category = m->category,
		.name = m->name,
		.number = m->kind >= MARKER_ENTER  ? "scope"
			  : m->kind == MARKER_STEP ? "flow"
						   : NULL,
		.has_text = m->message.text,
		.fields = fields,
		.field_count = take_fields(c, fields, m),
	};

	if (shape.number) {
		*values++ = number_value(m->number);
	}
	if (shape.has_text) {
		*values++ = text_value(m->message);
	}
	for (size_t i = 0; i < shape.field_count; i++) {
		*values++ = fields[i].value;
	}
	rec->class = capture_class(c, &shape);
}

void capture_set_marker(
	struct capture *c, struct record *rec, const struct kernel_line *line, char *text)
{
	struct marker m;

	marker_parse(&m, text);
	struct capture_thread *t = set_origin(c, rec, line, m.pid);

	if (m.kind >= MARKER_EXIT) {
		end_scope(c, rec, &m);
		return;
	}
	if (m.kind == MARKER_TEXT && !(c->base.declarations && set_declared(c, &m))) {
		m.name = (struct span){ "print", strlen("print") };
	} else if (m.kind == MARKER_BEGIN) {
		m.number = c->number++;
	}
	set_values(c, rec, &m);
	if (m.kind >= MARKER_ENTER) {
		begin_scope(c, rec, &m, &t->top);
	}
}

void capture_set_event(struct capture *c, struct record *rec, const struct kernel_line *line,
	struct span name, struct span text)
{
	const struct shape shape = { .category = { "", 0 }, .name = name, .has_text = true };

	set_origin(c, rec, line, 0);
	c->values[0] = text_value(text);
	rec->class = capture_class(c, &shape);
}
