/* SPDX-License-Identifier: MIT */
/*
 * Trace points of waymark/scope.h with arguments of no fixed size: text and callbacks. Records
 * have the layout of the declaration that waymark_site_declare() makes; text backends get a
 * message. Called by call sites in any thread and signal handler.
 */
#include <errno.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "rt/host/line.h"
#include "rt/record/recorder.h"
#include "rt/site/record.h"
#include "rt/text/flatten.h"
#include "rt/text/site_text.h"

/* Bytes that WAYMARK_PRINT() formats on the stack, and in mapped memory; the rest is cut. */
#define PRINT_BYTES 512
#define PRINT_LONG_BYTES 16384

/* An event that fires. */
struct firing {
	const struct waymark_event *event;
	struct waymark_debug *values; /* the first is the number of the scope or flow */
	uint32_t count; /* of arguments, without the number */
	uint32_t max; /* the most bytes of a text */
};

/* The layout of a kind of value in a record. */
enum form { FORM_WORD, FORM_WIDE, FORM_STRING, FORM_VALUE };

static const uint8_t forms[WAYMARK_DEBUG_KINDS] = {
	[WAYMARK_DEBUG_U128] = FORM_WIDE,
	[WAYMARK_DEBUG_I128] = FORM_WIDE,
	[WAYMARK_DEBUG_CHAR] = FORM_VALUE,
	[WAYMARK_DEBUG_POINTER] = FORM_VALUE,
	[WAYMARK_DEBUG_STRING] = FORM_STRING,
	[WAYMARK_DEBUG_BYTES] = FORM_VALUE,
	[WAYMARK_DEBUG_TREE] = FORM_VALUE,
	[WAYMARK_DEBUG_OBJECT] = FORM_VALUE,
	[WAYMARK_DEBUG_DURATION] = FORM_VALUE,
	[WAYMARK_DEBUG_FILE] = FORM_VALUE,
	[WAYMARK_DEBUG_OWNED_FD] = FORM_VALUE,
	[WAYMARK_DEBUG_BORROWED_FD] = FORM_VALUE,
	[WAYMARK_DEBUG_EVENTFD] = FORM_VALUE,
};

/* The length to record: the program may change the text meanwhile, but not its length. */
WAYMARK_INLINE uint32_t text_length(const struct waymark_debug *v)
{
	return v->as.pointer ? v->length : WAYMARK_NULL_STRING;
}

/* Out of line, so that `r` of the caller can stay in registers. */
static NOINLINE size_t put_value(
	char *start, size_t used, const struct waymark_debug *v, uint32_t max)
{
	struct waymark_record r = { NULL, start, used };

	waymark_record_debug(&r, v, max);
	return r.used;
}

WAYMARK_INLINE void store(struct waymark_record *r, const struct waymark_arg *arg,
	const struct waymark_debug *v, uint32_t max)
{
	switch ((enum form)forms[arg->kind]) {
	case FORM_WORD:
		waymark_record_word(r, v);
		break;
	case FORM_WIDE:
		waymark_record_wide(r, v->as.wide.low, v->as.wide.high);
		break;
	case FORM_STRING:
		waymark_record_string(r, v->as.pointer, text_length(v), max);
		break;
	case FORM_VALUE:
		r->used = put_value(r->start, r->used, v, max);
		break;
	}
}

/* Returns the most bytes that the arguments take; 0 if callbacks are among them. */
WAYMARK_INLINE size_t room_of(const struct firing *f, uint32_t max)
{
	size_t room = sizeof(int64_t);

	for (uint32_t i = 1; i <= f->count; i++) {
		if (waymark_debug_is_call(&f->values[i])) {
			return 0;
		}
		room += waymark_debug_room(&f->values[i], max);
	}
	return room;
}

/* Returns false if nothing was recorded; without `wait`, try again with it. */
WAYMARK_INLINE bool record(const struct firing *f, bool wait)
{
	const struct waymark_arg *arg = f->event->args;
	uint32_t max = wait ? waymark_string_max(f->max) : f->max;
	size_t room = room_of(f, max);
	struct waymark_record r;

	if (!room || !site_open(&r, f->event, room, wait)) {
		return false;
	}
	if (site_has_number(site_of(f->event))) {
		waymark_record_value(&r, &f->values[0].as.i, sizeof(int64_t));
		arg++;
	}
	for (uint32_t i = 1; i <= f->count; i++) {
		store(&r, arg++, &f->values[i], max);
	}
	waymark_record_end(&r);
	return true;
}

/*
 * Not inlined: its stack frame is separate from the caller's, which is large because of the trees.
 */
static NOINLINE void record_flat(const struct firing *f)
{
	record(f, true);
}

/* Calls callbacks once and replaces them by their trees. */
static COLD void flatten_and_record(const struct firing *f)
{
	struct waymark_trees trees;

	trees_begin(&trees);
	for (uint32_t i = 0; i < f->count; i++) {
		flatten(&trees, f->event, i, &f->values[1 + i]);
	}
	record_flat(f);
	trees_end(&trees);
}

/* Prints first, because recording replaces callbacks by trees. */
static COLD void fire_several(const struct firing *f, unsigned int on, enum waymark_mark mark)
{
	if (on & SITE_PRINTING_BACKENDS) {
		waymark_site_show(f->event, f->values, f->count, on, mark);
	}
	if (on & WAYMARK_CTF) {
		flatten_and_record(f);
	}
}

WAYMARK_HOT static void fire(const struct firing *f, unsigned int on, enum waymark_mark mark)
{
	if (UNLIKELY(on != WAYMARK_CTF) || UNLIKELY(!record(f, false))) {
		fire_several(f, on, mark);
	}
}

uint64_t waymark_site_enter(
	waymark_site_pointer *site, struct waymark_debug *values, uint32_t count, uint32_t max)
{
	struct firing f = { *site, values, count, max };
	uint64_t token = waymark_scope_token(site_backends(site));

	if (token) {
		values[0].as.i = waymark_scope_id(token);
		fire(&f, waymark_scope_backends(token), WAYMARK_MARK_START);
	}
	return token;
}

struct waymark_scope waymark_site_start(
	waymark_site_pointer *site, struct waymark_debug *values, uint32_t count, uint32_t max)
{
	struct firing f = { *site, values, count, max };
	struct waymark_scope flow = waymark_scope_start(site_backends(site), waymark_site_end_flow);

	if (flow.end) {
		site_flow_begins(&flow, *site);
		values[0].as.i = flow.id;
		fire(&f, flow.backends, WAYMARK_MARK_ASYNC_START);
	}
	return flow;
}

void waymark_site_fire(
	waymark_site_pointer *site, struct waymark_debug *values, uint32_t count, uint32_t max)
{
	struct firing f = { *site, values, count, max };

	fire(&f, site_backends(site), WAYMARK_MARK_NONE);
}

/* Removes a newline at the end. Marks text that was cut, and cuts it between characters. */
static void end_text(struct line *l)
{
	static const char cut_mark[] = "...";

	if (!l->cut) {
		l->len -= l->len > 0 && l->data[l->len - 1] == '\n';
		return;
	}
	l->len -= sizeof(cut_mark) - 1;
	while (l->len > 0 && (l->data[l->len] & 0xc0) == 0x80) {
		l->len--;
	}
	waymark_line_add(l, cut_mark, sizeof(cut_mark) - 1);
}

static void print_text(waymark_site_pointer *site, struct line *l)
{
	struct waymark_debug values[2];

	end_text(l);
	values[0] = waymark_debug_i64(0);
	values[1] = waymark_debug_text(l->data, l->len);
	waymark_site_fire(site, values, 1, WAYMARK_SITE_TEXTS_MAX);
}

/* Returns false if there is no memory. */
static COLD bool print_long(waymark_site_pointer *site, const char *format, va_list args)
{
	char *text = mmap(
		NULL, PRINT_LONG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct line l;

	if (text == MAP_FAILED) {
		return false;
	}
	line_init(&l, text, PRINT_LONG_BYTES);
	waymark_line_vprintf(&l, format, args);
	print_text(site, &l);
	munmap(text, PRINT_LONG_BYTES);
	return true;
}

void waymark_site_print(waymark_site_pointer *site, const char *format, ...)
{
	char text[PRINT_BYTES];
	struct line l;
	va_list args;
	va_list again;
	int saved = errno;

	line_init(&l, text, sizeof(text));
	va_start(args, format);
	va_copy(again, args);
	waymark_line_vprintf(&l, format, args);
	if (!l.cut || !print_long(site, format, again)) {
		print_text(site, &l);
	}
	va_end(again);
	va_end(args);
	errno = saved;
}
