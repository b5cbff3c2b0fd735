/* SPDX-License-Identifier: MIT */
/*
 * Declared events that generated code could not record without a call: the packet is full, a signal
 * handler interrupted an event, an option limits strings, the clock is not the cycle counter, or an
 * argument is a callback. The descriptor tells how to read the arguments and how to record them:
 * the record is the same, byte for byte, as that of generated code (src/emit/backend/record.c).
 *
 * One function for all events: a copy for each one was a third of the generated code's size.
 */
#include <alloca.h>
#include <stdarg.h>

#include <waymark/record.h>

#include "base/compiler.h"
#include "rt/record/recorder.h"
#include "rt/text/flatten.h"

/* An event that fires, with its arguments. */
struct firing {
	const struct waymark_event *event;
	enum waymark_recorder recorder;
	struct waymark_debug *values;
};

/* ---- Arguments as values ---- */

static struct waymark_debug take_number(const struct waymark_arg *arg, va_list *args)
{
	static const uint8_t kinds[] = {
		[1] = WAYMARK_DEBUG_U8, [2] = WAYMARK_DEBUG_U16, [4] = WAYMARK_DEBUG_U32
	};

	if (arg->size == sizeof(waymark_u128)) {
		return waymark_debug_u128(va_arg(*args, waymark_u128));
	}
	if (arg->size == sizeof(uint64_t)) {
		return waymark_debug_u64(va_arg(*args, uint64_t));
	}
	return waymark_debug_number(
		(enum waymark_debug_kind)kinds[arg->size], va_arg(*args, unsigned int));
}

static struct waymark_debug take_counted(const struct waymark_arg *arg, va_list *args)
{
	const void *bytes = va_arg(*args, const void *);
	size_t length = va_arg(*args, size_t);
	struct waymark_debug v = { .kind = WAYMARK_DEBUG_BYTES, .as.pointer = bytes };

	v.length = arg->kind == WAYMARK_TEXT ? waymark_text_size(bytes, length)
					     : waymark_bytes_size(bytes, length);
	return v;
}

/* Returns the next argument, which C has promoted. The length of a string is not measured yet. */
static struct waymark_debug take(const struct waymark_arg *arg, va_list *args)
{
	switch ((enum waymark_kind)arg->kind) {
	case WAYMARK_STRING:
		return (struct waymark_debug){ .as.pointer = va_arg(*args, const char *) };
	case WAYMARK_TEXT:
	case WAYMARK_BYTES:
		return take_counted(arg, args);
	case WAYMARK_DEBUG:
		return va_arg(*args, struct waymark_debug);
	case WAYMARK_FLOAT:
		return arg->size == sizeof(float) ? waymark_debug_f32((float)va_arg(*args, double))
						  : waymark_debug_f64(va_arg(*args, double));
	case WAYMARK_UNSIGNED:
	case WAYMARK_SIGNED:
	case WAYMARK_POINTER:
		break;
	}
	return take_number(arg, args);
}

/* ---- Strings: no further read than printf would ---- */

static uint32_t string_length(
	const struct firing *f, const struct waymark_arg *arg, const char *s, uint32_t max)
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

/* For simple, text of old declarations is what that release recorded: its address, or nothing. */
static bool is_old_text(const struct firing *f, const struct waymark_arg *arg)
{
	return arg->size && f->recorder == WAYMARK_RECORDER_SIMPLE;
}

static void store_string(struct waymark_record *r, const struct firing *f,
	const struct waymark_arg *arg, const struct waymark_debug *v, uint32_t max)
{
	if (is_old_text(f, arg)) {
		if (arg->size != WAYMARK_NOT_IN_SIMPLE) {
			waymark_record_value(r, &v->as.pointer, sizeof(v->as.pointer));
		}
	} else if (arg->part == WAYMARK_ONLY_ADDRESS) {
		waymark_record_address(r, v->as.pointer);
	} else {
		waymark_record_string(r, v->as.pointer, v->length, max);
	}
}

/* ---- The record ---- */

static bool is_long(const struct waymark_arg *arg)
{
	return arg->kind == WAYMARK_TEXT || arg->kind == WAYMARK_BYTES ||
	       arg->kind == WAYMARK_DEBUG ||
	       (arg->kind == WAYMARK_STRING && arg->part != WAYMARK_ONLY_ADDRESS);
}

/* Returns the most bytes of each long argument: they share half of the longest record. */
static uint32_t longest(const struct waymark_event *event)
{
	uint32_t count = 0;

	for (unsigned int i = 0; i < event->arg_count; i++) {
		count += is_long(&event->args[i]);
	}
	return waymark_string_max(WAYMARK_RECORD_MAX / 2 / (count ? count : 1));
}

/* Measures a value; returns the most bytes that it takes. */
static size_t measure(const struct firing *f, const struct waymark_arg *arg,
	struct waymark_debug *v, uint32_t max)
{
	switch ((enum waymark_kind)arg->kind) {
	case WAYMARK_STRING:
		if (arg->part == WAYMARK_ONLY_ADDRESS) {
			return WAYMARK_ADDRESS_ROOM;
		}
		v->length = string_length(f, arg, v->as.pointer, max);
		return waymark_string_room(v->length, max) + 2 * arg->size;
	case WAYMARK_TEXT:
	case WAYMARK_BYTES:
		return waymark_counted_room(v->length, max);
	default:
		return waymark_debug_room(v, max);
	}
}

static void store(struct waymark_record *r, const struct firing *f, const struct waymark_arg *arg,
	const struct waymark_debug *v, uint32_t max)
{
	switch ((enum waymark_kind)arg->kind) {
	case WAYMARK_STRING:
		store_string(r, f, arg, v, max);
		break;
	case WAYMARK_TEXT:
	case WAYMARK_BYTES:
		waymark_record_counted(r, v->as.pointer, v->length, max);
		break;
	case WAYMARK_DEBUG:
		waymark_record_debug(r, v, max);
		break;
	default:
		if (arg->size == sizeof(waymark_u128)) {
			waymark_record_wide(r, v->as.wide.low, v->as.wide.high);
		} else {
			waymark_record_word(r, v);
		}
	}
}

/* Not inlined: the frame of the caller is large if callbacks are called. */
static NOINLINE void record(const struct firing *f)
{
	const struct waymark_event *event = f->event;
	uint32_t max = longest(event);
	struct waymark_record r;
	size_t room = 0;

	for (unsigned int i = 0; i < event->arg_count; i++) {
		room += measure(f, &event->args[i], &f->values[i], max);
	}
	if (!waymark_record_begin(&r, f->recorder, event, room)) {
		return;
	}
	for (unsigned int i = 0; i < event->arg_count; i++) {
		store(&r, f, &event->args[i], &f->values[i], max);
	}
	waymark_record_end(&r);
}

static bool calls(const struct waymark_arg *arg, const struct waymark_debug *v)
{
	return arg->kind == WAYMARK_DEBUG && waymark_debug_is_call(v);
}

static NOINLINE void flatten_and_record(const struct firing *f)
{
	struct waymark_trees trees;

	trees_begin(&trees);
	for (unsigned int i = 0; i < f->event->arg_count; i++) {
		const struct waymark_arg *arg = &f->event->args[i];

		if (calls(arg, &f->values[i])) {
			flatten(&trees, f->event, arg->part, &f->values[i]);
		}
	}
	record(f);
	trees_end(&trees);
}

static void fire(enum waymark_recorder recorder, const struct waymark_event *event, va_list *args)
{
	struct waymark_debug *values = alloca(event->arg_count * sizeof(*values));
	const struct firing f = { event, recorder, values };
	bool any_calls = false;

	for (unsigned int i = 0; i < event->arg_count; i++) {
		values[i] = take(&event->args[i], args);
		any_calls = any_calls || calls(&event->args[i], &values[i]);
	}
	if (any_calls) {
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
