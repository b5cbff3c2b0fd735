/* SPDX-License-Identifier: MIT */
/*
 * Declared events that generated code could not record without a call: the packet is full, a signal
 * handler interrupted an event, an option limits strings, the clock is not the cycle counter, or an
 * argument is a callback. The descriptor tells how to read the arguments and how to record them:
 * the record is that of generated code (src/emit/backend/record.c), except for the padding between
 * arguments, and for a signaling NaN of type float, which C makes a quiet one.
 *
 * One function serves all events: a copy for each one was a third of the generated code's size.
 * Events that are on for several backends also come here, because printing takes far longer than
 * recording.
 */
#include <alloca.h>
#include <stdarg.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/record/recorder.h"
#include "rt/text/backends.h"
#include "rt/text/flatten.h"

/* An event that is being recorded, with its arguments. */
struct recording {
	const struct waymark_event *event;
	enum waymark_recorder recorder;
	struct waymark_debug *values; /* for a number only `as` is set */
	uint32_t longs; /* how many arguments have no fixed size */
	size_t room; /* the most bytes of the others */
};

static inline bool is_number(const struct waymark_arg *arg)
{
	return arg->kind <= WAYMARK_POINTER || arg->kind == WAYMARK_FLOAT;
}

/* ---- Arguments as values: C has promoted them ---- */

static inline void take_number(
	struct waymark_debug *v, const struct waymark_arg *arg, va_list *args)
{
	if (arg->kind == WAYMARK_FLOAT) {
		double wide = va_arg(*args, double);
		float narrow = (float)wide;
		uint32_t bits;

		memcpy(&bits, &narrow, sizeof(bits));
		memcpy(&v->as.u, &wide, sizeof(wide));
		v->as.u = arg->size == sizeof(float) ? bits : v->as.u;
	} else if (arg->size == sizeof(uint64_t)) {
		v->as.u = va_arg(*args, uint64_t);
	} else if (arg->size == sizeof(waymark_u128)) {
		*v = waymark_debug_u128(va_arg(*args, waymark_u128));
	} else {
		v->as.u = va_arg(*args, unsigned int);
	}
}

/* The length of a string is not measured yet. */
static void take_long(struct waymark_debug *v, const struct waymark_arg *arg, va_list *args)
{
	if (arg->kind == WAYMARK_DEBUG) {
		*v = va_arg(*args, struct waymark_debug);
		return;
	}
	v->as.pointer = va_arg(*args, const void *);
	if (arg->kind != WAYMARK_STRING) {
		size_t length = va_arg(*args, size_t);

		v->length = arg->kind == WAYMARK_TEXT ? waymark_text_size(v->as.pointer, length)
						      : waymark_bytes_size(v->as.pointer, length);
	}
}

/* Takes all arguments; returns true if callbacks are among them. */
static bool take(struct recording *f, va_list *args)
{
	bool calls = false;

	for (unsigned int i = 0; i < f->event->arg_count; i++) {
		const struct waymark_arg *arg = &f->event->args[i];
		struct waymark_debug *v = &f->values[i];

		if (LIKELY(is_number(arg))) {
			take_number(v, arg, args);
			f->room += 2 * arg->size;
		} else {
			take_long(v, arg, args);
			calls |= arg->kind == WAYMARK_DEBUG && waymark_debug_is_call(v);
			f->longs++;
		}
	}
	return calls;
}

/* ---- Arguments without a fixed size: all share half of the longest record ---- */

/* Returns the length of a string, which is read no further than printf would. */
static uint32_t string_length(
	const struct recording *f, const struct waymark_arg *arg, const char *s, uint32_t max)
{
	if (arg->part == WAYMARK_WHOLE) {
		return waymark_string_length(s, max);
	}
	if (arg->part >= WAYMARK_FIRST_BY(0)) {
		uint32_t index = arg->part - WAYMARK_FIRST_BY(0);

		return waymark_string_part(s, (int)f->values[index].as.u, max);
	}
	return waymark_string_part(s, arg->part - WAYMARK_FIRST(0), max);
}

/* Measures a value; returns the most bytes that it takes. */
static size_t measure(const struct recording *f, const struct waymark_arg *arg,
	struct waymark_debug *v, uint32_t max)
{
	if (arg->kind == WAYMARK_DEBUG) {
		return waymark_debug_room(v, max);
	}
	if (arg->kind != WAYMARK_STRING) {
		return waymark_counted_room(v->length, max);
	}
	if (arg->part == WAYMARK_ONLY_ADDRESS) {
		return WAYMARK_ADDRESS_ROOM;
	}
	v->length = string_length(f, arg, v->as.pointer, max);
	return waymark_string_room(v->length, max) + 2 * arg->size;
}

/* Measures all; returns the most bytes of each, 0 if there are none. */
static uint32_t measure_all(struct recording *f)
{
	const struct waymark_event *event = f->event;
	uint32_t shares = f->longs;

	if (!shares) {
		return 0;
	}
	for (unsigned int i = 0; i < event->arg_count; i++) {
		const struct waymark_arg *arg = &event->args[i];

		shares -= arg->kind == WAYMARK_STRING && arg->part == WAYMARK_ONLY_ADDRESS;
	}
	uint32_t max = waymark_string_max(WAYMARK_RECORD_MAX / 2 / (shares ? shares : 1));

	for (unsigned int i = 0; i < event->arg_count; i++) {
		if (!is_number(&event->args[i])) {
			f->room += measure(f, &event->args[i], &f->values[i], max);
		}
	}
	return max;
}

/* ---- The record ---- */

/* Stores a number of at most 64 bits by storing a whole word: each record has room for it. */
static inline void store_number(
	struct waymark_record *r, const struct waymark_arg *arg, const struct waymark_debug *v)
{
	size_t size = arg->size;
	uint64_t bits = v->as.u;

	if (UNLIKELY(size > sizeof(bits))) {
		waymark_record_wide(r, v->as.wide.low, v->as.wide.high);
		return;
	}
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	bits <<= 64 - 8 * size;
#endif
	r->used = (r->used + size - 1) & ~(size - 1);
	memcpy(r->start + r->used, &bits, sizeof(bits));
	r->used += size;
}

static void store_string(struct waymark_record *r, const struct recording *f,
	const struct waymark_arg *arg, const struct waymark_debug *v, uint32_t max)
{
	/* For simple, text of old declarations is what that release recorded: an address, or
	 * nothing. */
	if (arg->size && f->recorder == WAYMARK_RECORDER_SIMPLE) {
		if (arg->size != WAYMARK_NOT_IN_SIMPLE) {
			waymark_record_value(r, &v->as.pointer, sizeof(v->as.pointer));
		}
	} else if (arg->part == WAYMARK_ONLY_ADDRESS) {
		waymark_record_address(r, v->as.pointer);
	} else {
		waymark_record_string(r, v->as.pointer, v->length, max);
	}
}

static void store_long(struct waymark_record *r, const struct recording *f,
	const struct waymark_arg *arg, const struct waymark_debug *v, uint32_t max)
{
	if (arg->kind == WAYMARK_STRING) {
		store_string(r, f, arg, v, max);
	} else if (arg->kind == WAYMARK_DEBUG) {
		waymark_record_debug(r, v, max);
	} else {
		waymark_record_counted(r, v->as.pointer, v->length, max);
	}
}

/* Not inlined: the frame of the caller is large if callbacks are called. */
static NOINLINE void record(struct recording *f)
{
	const struct waymark_event *event = f->event;
	uint32_t max = measure_all(f);
	struct waymark_record r;

	if (!waymark_record_begin(&r, f->recorder, event, f->room)) {
		return;
	}
	for (unsigned int i = 0; i < event->arg_count; i++) {
		const struct waymark_arg *arg = &event->args[i];

		if (LIKELY(is_number(arg))) {
			store_number(&r, arg, &f->values[i]);
		} else {
			store_long(&r, f, arg, &f->values[i], max);
		}
	}
	waymark_record_end(&r);
}

static NOINLINE void flatten_and_record(struct recording *f)
{
	struct waymark_trees trees;

	trees_begin(&trees);
	for (unsigned int i = 0; i < f->event->arg_count; i++) {
		const struct waymark_arg *arg = &f->event->args[i];

		if (arg->kind == WAYMARK_DEBUG) {
			flatten(&trees, f->event, arg->part, &f->values[i]);
		}
	}
	record(f);
	trees_end(&trees);
}

static void fire(enum waymark_recorder recorder, const struct waymark_event *event, va_list *args)
{
	struct recording f = { .event = event, .recorder = recorder };

	f.values = alloca(event->arg_count * sizeof(*f.values));
	if (take(&f, args)) {
		flatten_and_record(&f);
	} else {
		record(&f);
	}
}

/* ---- What generated code calls ---- */

void waymark_ctf(const struct waymark_event *event, ...)
{
	va_list args;

	va_start(args, event);
	fire(WAYMARK_RECORDER_CTF, event, &args);
	va_end(args);
}

void waymark_simple(const struct waymark_event *event, ...)
{
	va_list args;

	va_start(args, event);
	fire(WAYMARK_RECORDER_SIMPLE, event, &args);
	va_end(args);
}

/* Returns an argument as a word of the call, see rt/event/field.h. */
static uint64_t word_of(const struct waymark_arg *arg, va_list *args)
{
	struct waymark_debug v;
	double wide;

	if (arg->kind == WAYMARK_FLOAT) {
		wide = va_arg(*args, double);
		return waymark_word_of_double(wide);
	}
	take_number(&v, arg, args);
	return arg->size < sizeof(v.as.u) ? v.as.u & ((UINT64_C(1) << 8 * arg->size) - 1) : v.as.u;
}

/* Stores the words of an argument; `debug` has room for a value. Returns what follows them. */
static uint64_t *put_words(
	uint64_t *word, const struct waymark_arg *arg, struct waymark_debug *debug, va_list *args)
{
	if (arg->kind == WAYMARK_DEBUG) {
		*debug = va_arg(*args, struct waymark_debug);
		*word++ = (uintptr_t)debug;
	} else if (is_number(arg) && arg->size == sizeof(waymark_u128)) {
		*debug = waymark_debug_u128(va_arg(*args, waymark_u128));
		*word++ = debug->as.wide.low;
		*word++ = debug->as.wide.high;
	} else if (is_number(arg)) {
		*word++ = word_of(arg, args);
	} else {
		*word++ = (uintptr_t)va_arg(*args, const void *);
		if (arg->kind != WAYMARK_STRING) {
			*word++ = va_arg(*args, size_t);
		}
	}
	return word;
}

/* Not inlined: its memory is free again before the event is recorded. */
static NOINLINE unsigned int decide(
	const struct waymark_event *event, unsigned int on, va_list *args)
{
	uint64_t *words = alloca(2u * event->arg_count * sizeof(*words) + 1);
	struct waymark_debug *debugs = alloca(event->arg_count * sizeof(*debugs) + 1);
	uint64_t *word = words;

	for (unsigned int i = 0; i < event->arg_count; i++) {
		word = put_words(word, &event->args[i], &debugs[i], args);
	}
	return waymark_decide(event, on, words);
}

void waymark_several(const struct waymark_event *event, const char *fmt, ...)
{
	unsigned int on = WAYMARK_BACKENDS(*event->state);
	va_list args;

	if (WAYMARK_IS_CONDITIONAL(on)) {
		va_start(args, fmt);
		on = decide(event, on, &args);
		va_end(args);
	}
	for (int k = 0; k < WAYMARK_RECORDERS; k++) {
		if (on & (1u << k)) {
			va_start(args, fmt);
			fire((enum waymark_recorder)k, event, &args);
			va_end(args);
		}
	}
	for (size_t i = 0; i < TEXT_BACKENDS; i++) {
		const struct text_backend_row *row = &waymark_text_backends[i];

		if (on & row->bit && row->backend->print) {
			va_start(args, fmt);
			row->backend->print(event, fmt, args);
			va_end(args);
		}
	}
}
