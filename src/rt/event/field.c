/* SPDX-License-Identifier: MIT */
/* Fields of an event for expressions: see field.h. read/where.c does the same for records. */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/unit.h"
#include "base/value_name.h"
#include "format/ctf_text_event.h"
#include "format/debug.h"
#include "rt/event/field.h"
#include "rt/event/pairing.h"
#include "rt/event/registry.h"

/* The longest string that is compared; a record does not hold a longer one either. */
#define STRING_MAX (WAYMARK_RECORD_MAX / 2)

/* The bytes of a text that its key depends on. */
#define KEY_BYTES 256u

/* ---- Names of values ---- */

/*
 * Reads ` 0=read 1=write`, which tracetool has checked, up to the end of the line. Returns a table
 * with its texts in one piece of memory; NULL if there is none.
 */
static struct value_name *read_names(const char *values)
{
	size_t length = strcspn(values, "\n");
	size_t count = 0;

	for (size_t i = 0; i < length; i++) {
		count += values[i] == '=';
	}
	struct value_name *names = malloc((count + 1) * sizeof(*names) + length + 1);

	if (!names) {
		return NULL;
	}
	char *text = (char *)(names + count + 1);
	char *rest;

	memcpy(text, values, length);
	text[length] = '\0';
	for (size_t i = 0; i < count; i++) {
		bool is_negative = text[strspn(text, " ")] == '-';

		names[i].value =
			is_negative ? (uint64_t)strtoll(text, &rest, 0) : strtoull(text, &rest, 0);
		names[i].is_negative = is_negative;
		names[i].name = rest + 1; /* after the `=` */
		text = rest + 1 + strcspn(rest + 1, " ");
		*text++ = '\0';
	}
	names[count] = (struct value_name){ NULL, 0, false };
	return names;
}

/* Returns the text after `@unit <name>`; NULL: none. */
static const char *unit_of(const char *meaning, const char *name)
{
	size_t length = strlen(name);

	for (const char *s = meaning; *s; s = strchr(s, '\n') + 1) {
		if (strncmp(s, "@unit ", 6) == 0 && strncmp(s + 6, name, length) == 0 &&
			s[6 + length] == ' ') {
			return s + 6 + length + 1;
		}
	}
	return NULL;
}

/* ---- Texts of the descriptor ---- */

/* Returns the name of an argument, or what follows the last one: what they mean. */
static const char *name_of(const struct waymark_event *event, unsigned int arg)
{
	const char *text = event_next_text(event_format(event));

	for (unsigned int i = 0; i < 2 * arg; i++) {
		text = event_next_text(text);
	}
	return text;
}

static const char *meaning_of(const struct waymark_event *event)
{
	return name_of(event, event->arg_count);
}

bool waymark_fields_init(struct fields *f, const struct waymark_event *event)
{
	*f = (struct fields){ .event = event, .count = event->arg_count };
	f->names = calloc(f->count + 1u, sizeof(*f->names));
	bool good = f->names;

	for (unsigned int i = 0; good && i < event->arg_count; i++) {
		const char *values = ctf_text_names(meaning_of(event), name_of(event, i));

		f->names[i] = values ? read_names(values) : NULL;
		good = f->names[i] || !values;
	}
	if (!good) {
		waymark_fields_fini(f);
	}
	return good;
}

void waymark_fields_fini(struct fields *f)
{
	for (struct value_name **names = f->names; names && names < f->names + f->count; names++) {
		free(*names);
	}
	free(f->names);
	f->names = NULL;
}

/* ---- Words ---- */

/* Slots of the names of every event, above those of fields. */
enum common_slot { SLOT_EVENT = UINT8_MAX + 1, SLOT_TIME, SLOT_PID, SLOT_TID, SLOT_ELAPSED };

static unsigned int first_arg(const struct waymark_event *event)
{
	return event->flags & WAYMARK_EVENT_SCOPE ? 1 : 0;
}

static unsigned int words_of(const struct waymark_arg *arg)
{
	return arg->kind == WAYMARK_TEXT || arg->kind == WAYMARK_BYTES || arg->size > 8 ? 2 : 1;
}

static unsigned int word_of(const struct waymark_event *event, unsigned int arg)
{
	unsigned int word = 0;

	for (unsigned int i = first_arg(event); i < arg; i++) {
		word += words_of(&event->args[i]);
	}
	return word;
}

bool waymark_field_word(const void *fields, unsigned int slot, struct expr_word *word)
{
	const struct waymark_event *event = ((const struct fields *)fields)->event;

	if (slot == SLOT_ELAPSED) { /* as field_own() has it */
		*word = (struct expr_word){ .bits = 64, .is_own = true };
		return true;
	}
	if (slot >= event->arg_count) {
		return false;
	}
	const struct waymark_arg *arg = &event->args[slot];
	bool is_integer = arg->kind <= WAYMARK_POINTER && arg->size <= 8;

	*word = (struct expr_word){
		.index = (uint16_t)word_of(event, slot),
		.bits = is_integer ? (uint8_t)(8 * arg->size) : 0,
		.is_signed = arg->kind == WAYMARK_SIGNED,
		.is_string = arg->kind == WAYMARK_STRING && arg->part == WAYMARK_WHOLE,
	};
	return true;
}

struct field_ref waymark_field_ref(const struct waymark_event *event, unsigned int slot)
{
	const struct fields f = { .event = event };
	struct field_ref ref = { .slot = slot };
	struct expr_word word;

	if (waymark_field_word(&f, slot, &word) && word.bits && !word.is_own) {
		ref.word = word.index;
		ref.mask = UINT64_MAX >> (64 - word.bits);
		ref.sign = word.is_signed ? (ref.mask >> 1) + 1 : 0;
	}
	return ref;
}

/* ---- Names ---- */

static const struct {
	const char *name;
	enum expr_type type;
	enum expr_dimension dimension;
} commons[] = {
	{ "@event", EXPR_TEXT, EXPR_PLAIN },
	{ "@time", EXPR_INTEGER, EXPR_TIME },
	{ "@pid", EXPR_INTEGER, EXPR_PLAIN },
	{ "@tid", EXPR_INTEGER, EXPR_PLAIN },
};

static bool is_name(const char *name, const char *text, size_t length)
{
	return strlen(name) == length && memcmp(name, text, length) == 0;
}

static enum expr_type type_of(const struct waymark_arg *arg)
{
	static const enum expr_type types[] = {
		[WAYMARK_UNSIGNED] = EXPR_INTEGER,
		[WAYMARK_SIGNED] = EXPR_INTEGER,
		[WAYMARK_POINTER] = EXPR_INTEGER,
		[WAYMARK_STRING] = EXPR_TEXT,
		[WAYMARK_FLOAT] = EXPR_FLOAT,
		[WAYMARK_TEXT] = EXPR_TEXT,
		[WAYMARK_BYTES] = EXPR_TEXT,
		[WAYMARK_DEBUG] = EXPR_ANY,
	};

	return types[arg->kind];
}

static bool is_character(const struct waymark_event *event, unsigned int arg)
{
	return strcmp(event_next_text(name_of(event, arg)), "char") == 0;
}

static struct expr_field field_of(const struct fields *f, unsigned int arg)
{
	const char *unit_text = unit_of(meaning_of(f->event), name_of(f->event, arg));
	const struct unit *unit =
		unit_text ? unit_find(unit_text, strcspn(unit_text, " \n")) : NULL;

	return (struct expr_field){
		.slot = arg,
		.type = type_of(&f->event->args[arg]),
		.names = f->names[arg],
		.dimension = !unit	     ? EXPR_PLAIN
			     : unit->is_time ? EXPR_TIME
					     : EXPR_BYTES,
		.unit = unit ? unit->scale : 0,
		.is_character = is_character(f->event, arg),
	};
}

bool waymark_field_slot(
	const struct waymark_event *event, const char *name, size_t length, unsigned int *slot)
{
	for (unsigned int i = first_arg(event); i < event->arg_count; i++) {
		if (is_name(name_of(event, i), name, length)) {
			*slot = i;
			return true;
		}
	}
	return false;
}

bool waymark_field_find(
	const void *fields, const char *name, size_t length, struct expr_field *field)
{
	const struct fields *f = fields;
	unsigned int slot;

	if (waymark_field_slot(f->event, name, length, &slot)) {
		*field = field_of(f, slot);
		return true;
	}
	if (f->pairing && waymark_pairing_is(name, length)) {
		*field = (struct expr_field){ .slot = SLOT_ELAPSED,
			.type = EXPR_INTEGER,
			.dimension = EXPR_TIME,
			.unit = 1 };
		return true;
	}
	for (unsigned int i = 0; i < sizeof(commons) / sizeof(commons[0]); i++) {
		if (is_name(commons[i].name, name, length)) {
			*field = (struct expr_field){
				.slot = SLOT_EVENT + i,
				.type = commons[i].type,
				.dimension = commons[i].dimension,
				.unit = commons[i].dimension == EXPR_TIME,
			};
			return true;
		}
	}
	return false;
}

const char *waymark_field_near(const struct waymark_event *event, const char *name, size_t length)
{
	struct nearest near = nearest_begin(name, length);

	for (unsigned int i = first_arg(event); i < event->arg_count; i++) {
		nearest_offer(&near, name_of(event, i));
	}
	return nearest_is_near(&near) ? near.name : NULL;
}

bool waymark_field_named(const struct waymark_event *event, const char *name, struct field_ref *ref)
{
	unsigned int slot;

	if (!waymark_field_slot(event, name, strlen(name), &slot)) {
		return false;
	}
	*ref = waymark_field_ref(event, slot);
	return true;
}

/* ---- Values ---- */

static struct expr_value of_text(const char *text, uint32_t length)
{
	if (length == WAYMARK_NULL_STRING) {
		text = NULL;
		length = 0;
	}
	return (struct expr_value){ .as.text = text, .length = length, .type = EXPR_TEXT };
}

static struct expr_value of_double(double number)
{
	return (struct expr_value){ .as.number = number, .type = EXPR_FLOAT };
}

static uint64_t extend(uint64_t word, unsigned int bytes)
{
	unsigned int spare = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(word << spare) >> spare);
}

/* Returns a number of a value that is described at run time, as it is recorded. */
static struct expr_value of_debug_number(const struct waymark_debug *v)
{
	const struct debug_shape *shape = &debug_shapes[v->kind];
	bool is_signed = shape->form == DEBUG_SIGNED;
	size_t bytes = debug_bytes(v->kind, sizeof(void *));
	struct expr_value number =
		expr_integer(is_signed ? extend(v->as.u, (unsigned int)bytes) : v->as.u, is_signed);

	number.character = v->kind == WAYMARK_DEBUG_CHAR ? EXPR_CODE_POINT : EXPR_NO_CHARACTER;
	return number;
}

/* Bytes, and kinds that are recorded as trees, such as descriptors, have no value. */
static struct expr_value of_debug(const struct waymark_debug *v)
{
	if (v->kind >= WAYMARK_DEBUG_BYTES) {
		return (struct expr_value){ .type = EXPR_NONE };
	}
	switch (v->kind) {
	case WAYMARK_DEBUG_F32:
		return of_double(v->as.f32);
	case WAYMARK_DEBUG_F64:
		return of_double(v->as.f64);
	case WAYMARK_DEBUG_U128:
	case WAYMARK_DEBUG_I128:
		return expr_wide(v->as.wide.low, v->as.wide.high, v->kind == WAYMARK_DEBUG_I128);
	case WAYMARK_DEBUG_STRING:
		return of_text(v->as.pointer, waymark_text_size(v->as.pointer, v->length));
	default:
		return of_debug_number(v);
	}
}

/* Returns the string as far as it is recorded: printf may read no more of it. */
static struct expr_value of_string(
	const struct field_call *call, const struct waymark_arg *arg, const char *s)
{
	int precision = -1;

	if (arg->part == WAYMARK_ONLY_ADDRESS) {
		return (struct expr_value){ .type = EXPR_NONE };
	}
	if (arg->part >= WAYMARK_FIRST_BY(0)) {
		precision = (int)call->words[word_of(
			call->event, (unsigned int)arg->part - WAYMARK_FIRST_BY(0))];
	} else if (arg->part != WAYMARK_WHOLE) {
		precision = arg->part - WAYMARK_FIRST(0);
	}
	uint32_t length = waymark_string_part(s, precision, STRING_MAX);

	return of_text(s, length == STRING_MAX + 1 ? STRING_MAX : length);
}

static struct expr_value of_integer(
	const struct waymark_event *event, unsigned int arg, const uint64_t *word)
{
	const struct waymark_arg *a = &event->args[arg];
	bool is_signed = a->kind == WAYMARK_SIGNED;

	if (a->size > sizeof(*word)) {
		return expr_wide(word[0], word[1], is_signed);
	}
	struct expr_value v = expr_integer(is_signed ? extend(*word, a->size) : *word, is_signed);

	v.character = is_character(event, arg) ? EXPR_BYTE : EXPR_NO_CHARACTER;
	return v;
}

static struct expr_value of_arg(const struct field_call *call, unsigned int arg)
{
	const struct waymark_arg *a = &call->event->args[arg];
	const uint64_t *word = &call->words[word_of(call->event, arg)];
	const void *pointer = (const void *)(uintptr_t)*word;
	double number;

	switch (a->kind) {
	case WAYMARK_STRING:
		return of_string(call, a, pointer);
	case WAYMARK_FLOAT:
		memcpy(&number, word, sizeof(number));
		return of_double(number);
	case WAYMARK_TEXT:
		return of_text(pointer, waymark_text_size(pointer, (size_t)word[1]));
	case WAYMARK_BYTES:
		return of_text(
			pointer ? pointer : "", waymark_bytes_size(pointer, (size_t)word[1]));
	case WAYMARK_DEBUG:
		return of_debug(pointer);
	default:
		return of_integer(call->event, arg, word);
	}
}

static struct expr_value of_common(const struct waymark_event *event, unsigned int slot)
{
	switch (slot) {
	case SLOT_EVENT:
		return of_text(event->name, (uint32_t)strlen(event->name));
	case SLOT_TIME:
		return expr_integer(waymark_clock_ns(), false);
	case SLOT_PID:
		return expr_integer((uint64_t)getpid(), false);
	default:
		return expr_integer((uint64_t)syscall(SYS_gettid), false);
	}
}

void waymark_field_get(void *data, unsigned int slot, struct expr_value *value)
{
	const struct field_call *call = data;

	if (slot == SLOT_ELAPSED) {
		*value = expr_integer(call->elapsed, false);
		value->type = call->is_paired ? EXPR_INTEGER : EXPR_NONE;
		return;
	}
	*value = slot < SLOT_EVENT ? of_arg(call, slot) : of_common(call->event, slot);
}

/* ---- Keys ---- */

static uint64_t hash_text(const struct expr_value *v)
{
	uint32_t length = v->length < KEY_BYTES ? v->length : KEY_BYTES;
	uint64_t h = v->length; /* of NULL 0, as of an empty text */

	for (uint32_t i = 0; v->as.text && i < length; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, v->as.text + i,
			length - i < sizeof(word) ? length - i : sizeof(word));
		h = field_mix(h ^ le64toh(word)); /* the same on every machine */
	}
	return h;
}

uint64_t waymark_field_key(struct field_call *call, unsigned int slot)
{
	struct expr_value v;

	waymark_field_get(call, slot, &v);
	return field_mix(v.type == EXPR_TEXT ? hash_text(&v) : v.as.integer);
}
