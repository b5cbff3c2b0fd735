/* SPDX-License-Identifier: MIT */
/* Each function adds a row: a value to each column, in the order of schema.c. */
#include "view/export/clickhouse_rows.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "format/own_events.h"
#include "format/uuid.h"
#include "view/export/cell.h"
#include "view/message/message.h"

void rows_init(struct rows *rows)
{
	*rows = (struct rows){ 0 };
	for (size_t t = 0; t < SCHEMA_TABLES; t++) {
		for (const struct schema_column *c = schema_tables[t].columns; c->name; c++) {
			block_add_column(&rows->blocks[t], c->name, c->type);
		}
	}
}

void rows_fini(struct rows *rows)
{
	for (size_t t = 0; t < SCHEMA_TABLES; t++) {
		block_fini(&rows->blocks[t]);
	}
}

void rows_clear(struct rows *rows)
{
	for (size_t t = 0; t < SCHEMA_TABLES; t++) {
		block_clear(&rows->blocks[t]);
	}
}

uint64_t rows_process(const uint8_t uuid[16])
{
	uint64_t number = 0;

	for (size_t i = 0; i < sizeof(number); i++) {
		number = number << 8 | uuid[i];
	}
	return number;
}

void rows_trace_init(
	struct rows_trace *t, struct reader *reader, uint32_t number, int64_t correction)
{
	const struct trace_info *info = &reader->traces[number];

	*t = (struct rows_trace){
		.reader = reader,
		.number = number,
		.process = info->uuid ? rows_process(info->uuid) : 0,
		.correction = correction,
		.to_realtime = info->realtime + (uint64_t)correction,
		.path = info->path,
	};
}

void rows_trace_fini(struct rows_trace *t)
{
	vec_fini(&t->declarations);
}

bool rows_leaves_out(const struct record *rec)
{
	return rec->kind == RECORD_EVENT && rec->class->is_own &&
	       strncmp(rec->class->name, OWN_AGGREGATE, strlen(OWN_AGGREGATE)) == 0;
}

static const char *known(const char *text)
{
	return text ? text : "";
}

/* ---- Declarations ---- */

static void add_declaration(struct rows *rows, const struct event_class *class, uint32_t number)
{
	struct block *b = &rows->blocks[SCHEMA_DECLARATIONS];
	struct block_column *c = b->columns;
	const struct event *e = class->event;

	block_word(c++, class->name);
	block_u32(c++, number);
	for (size_t i = 0; e && i < e->arg_count; i++) {
		const struct arg *arg = &e->args[i];
		const char *unit = known(arg->unit);

		block_item(&c[0], arg->name, strlen(arg->name));
		block_item(&c[1], arg->type.text, strlen(arg->type.text));
		block_item(&c[2], unit, strlen(unit));
		block_flag(&c[3], schema_is_number(arg));
		block_flag(&c[4], arg->is_key);
	}
	for (const struct block_column *arrays = c; c < arrays + 5;) {
		block_end(c++);
	}
	block_u32(c, (uint32_t)time(NULL));
	b->rows++;
}

static uint32_t declaration_of(
	struct rows *rows, struct rows_trace *t, const struct event_class *class)
{
	vec_reach(&t->declarations, class->index);
	uint32_t *number = &t->declarations.items[class->index];

	if (UNLIKELY(*number == 0)) {
		*number = schema_declaration(class);
		add_declaration(rows, class, *number);
	}
	return *number;
}

/* ---- Events ---- */

static uint64_t number_of(const struct cell *cell)
{
	uint64_t bits = cell->number;

	if (cell->kind == CELL_DOUBLE) {
		memcpy(&bits, &cell->real, sizeof(bits));
	}
	return cell->kind <= CELL_DOUBLE && cell->kind != CELL_NULL ? bits : 0;
}

/* Adds a field that is no number; a debug value may be one nevertheless. */
static COLD void add_text(struct block_column *texts, const struct arg *arg, const struct value *v,
	const struct cell *cell)
{
	if (cell->kind == CELL_TEXT || cell->kind == CELL_BYTES) {
		block_item(texts, cell->text, cell->length);
	} else if (cell->kind == CELL_NULL) {
		block_item(texts, "", 0);
	} else {
		char *text = message_value_text(arg, v);

		block_item(texts, text, strlen(text));
		free(text);
	}
}

static void add_fields(struct block_column *numbers, struct block_column *texts, struct reader *r,
	const struct record *rec)
{
	const struct event *e = rec->class->event;
	const struct value *values = e ? reader_values(r, rec) : NULL;

	for (size_t i = 0; e && i < e->arg_count; i++) {
		struct cell cell;

		if (UNLIKELY(e->args[i].is_secret)) {
			cell = (struct cell){ .kind = CELL_NULL };
		} else {
			cell_set(&cell, &e->args[i], &values[i], false);
		}
		if (LIKELY(schema_is_number(&e->args[i]))) {
			block_number(numbers, number_of(&cell));
		} else {
			add_text(texts, &e->args[i], &values[i], &cell);
		}
		cell_fini(&cell);
	}
	block_end(numbers);
	block_end(texts);
}

/* Adds where a record comes from: four columns. Returns the column after them. */
static struct block_column *add_origin(
	struct block_column *c, const struct rows_trace *t, const struct record *rec)
{
	const struct trace_info *info = &t->reader->traces[t->number];

	block_word(c++, known(info->hostname));
	block_word(c++, known(info->procname));
	block_u64(c++, t->process);
	block_u32(c++, rec->tid);
	return c;
}

static void add_event(struct rows *rows, struct rows_trace *t, const struct record *rec)
{
	uint32_t declaration = declaration_of(rows, t, rec->class);
	struct block *b = &rows->blocks[SCHEMA_EVENTS];
	struct block_column *c = b->columns;
	uint64_t ns = rec->ns + t->to_realtime;

	block_word(c++, rec->class->name);
	block_u32(c++, (uint32_t)(ns / CLOCK_NS_PER_S));
	block_u32(c++, (uint32_t)(ns % CLOCK_NS_PER_S));
	c = add_origin(c, t, rec);
	block_u32(c++, declaration);
	block_u64(c++, rows->batch);
	add_fields(&c[0], &c[1], t->reader, rec);
	b->rows++;
}

static void add_gap(struct rows *rows, const struct rows_trace *t, const struct record *rec)
{
	struct block *b = &rows->blocks[SCHEMA_GAPS];
	struct block_column *c = b->columns;
	uint64_t ns = rec->ns + t->to_realtime;

	block_u32(c++, (uint32_t)(ns / CLOCK_NS_PER_S));
	block_u32(c++, (uint32_t)(ns % CLOCK_NS_PER_S));
	c = add_origin(c, t, rec);
	block_u64(c++, rows->batch);
	block_u64(c++, rec->gap.lost);
	block_u64(c++, rec->gap.overwritten);
	block_u64(c++, rec->gap.rotated);
	block_u64(c++, rec->gap.missing);
	b->rows++;
}

void rows_add(struct rows *rows, struct rows_trace *t, const struct record *rec)
{
	if (LIKELY(rec->kind == RECORD_EVENT)) {
		add_event(rows, t, rec);
	} else {
		add_gap(rows, t, rec);
	}
}

/* ---- Processes ---- */

static void add_known(struct block_column *c, const char *text)
{
	block_text(c, known(text), strlen(known(text)));
}

void rows_add_process(struct rows *rows, const struct rows_trace *t)
{
	const struct trace_info *info = &t->reader->traces[t->number];
	struct block *b = &rows->blocks[SCHEMA_PROCESSES];
	struct block_column *c = b->columns;
	char uuid[UUID_TEXT_SIZE] = "";

	if (info->uuid) {
		uuid_text(uuid, info->uuid);
	}
	block_u64(c++, t->process);
	add_known(c++, uuid);
	block_word(c++, known(info->hostname));
	add_known(c++, info->boot_id);
	block_word(c++, known(info->procname));
	block_u32(c++, info->pid);
	block_u64(c++, (uint64_t)t->correction);
	add_known(c++, t->path);
	block_u32(c, (uint32_t)time(NULL));
	b->rows++;
}
