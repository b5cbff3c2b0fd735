/* SPDX-License-Identifier: MIT */
/*
 * The statements use what servers from 18.16 on understand. On a cluster, `events` is the part of
 * one server and `all_events` that of all, and likewise for the other tables; waymark ship writes
 * to the parts, so that an answer says what is stored.
 */
#include "view/export/clickhouse_schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEDUPLICATION_WINDOW 10000 /* blocks of all hosts */

/* Old servers need a setting that new ones refuse. */
static void put_settings(struct out *out, const struct schema_options *o)
{
	if (o->is_old) {
		out_str(out, "SET allow_experimental_low_cardinality_type = 1;\n\n");
	}
}

/* ---- The tables ---- */

static const struct schema_column events[] = {
	{ "event", BLOCK_WORD, "name of the event" },
	{ "time", BLOCK_TIME, "seconds since 1970" },
	{ "ns", BLOCK_U32, "nanoseconds after them" },
	{ "host", BLOCK_WORD, "name of the host" },
	{ "program", BLOCK_WORD, "name of the program" },
	{ "process", BLOCK_U64, "number of the trace: see processes" },
	{ "thread", BLOCK_U32, "tid" },
	{ "declaration", BLOCK_U32, "which fields it has: see declarations" },
	{ "batch", BLOCK_U64, "with which batch the row came" },
	{ "numbers", BLOCK_NUMBERS, "the fields that are numbers; floats as their bits" },
	{ "texts", BLOCK_TEXTS, "the other fields" },
	{ 0 },
};

static const struct schema_column gaps[] = {
	{ "time", BLOCK_TIME, "seconds since 1970" },
	{ "ns", BLOCK_U32, "nanoseconds after them" },
	{ "host", BLOCK_WORD, "name of the host" },
	{ "program", BLOCK_WORD, "name of the program" },
	{ "process", BLOCK_U64, "number of the trace" },
	{ "thread", BLOCK_U32, "tid" },
	{ "batch", BLOCK_U64, "with which batch the row came" },
	{ "lost", BLOCK_U64, "events that found no memory" },
	{ "overwritten", BLOCK_U64, "events that newer ones replaced" },
	{ "rotated", BLOCK_U64, "packets that were removed with old files" },
	{ "missing", BLOCK_U64, "packets that are missing" },
	{ 0 },
};

static const struct schema_column processes[] = {
	{ "process", BLOCK_U64, "first 8 bytes of the trace's uuid" },
	{ "uuid", BLOCK_TEXT, "of the trace" },
	{ "host", BLOCK_WORD, "name of the host" },
	{ "boot", BLOCK_TEXT, "boot id of the host" },
	{ "program", BLOCK_WORD, "name of the program" },
	{ "pid", BLOCK_U32, "pid on its host" },
	{ "correction", BLOCK_I64, "ns that were added to the host's time" },
	{ "path", BLOCK_TEXT, "of the trace on its host" },
	{ "seen", BLOCK_TIME, "when it was shipped last" },
	{ 0 },
};

static const struct schema_column declarations[] = {
	{ "event", BLOCK_WORD, "name of the event" },
	{ "declaration", BLOCK_U32, "number of its name, fields and types" },
	{ "fields", BLOCK_TEXTS, "their names" },
	{ "types", BLOCK_TEXTS, "their types in C" },
	{ "units", BLOCK_TEXTS, "their units, or empty" },
	{ "is_number", BLOCK_FLAGS, "1: among `numbers`, 0: among `texts`" },
	{ "is_key", BLOCK_FLAGS, "1: names an object" },
	{ "seen", BLOCK_TIME, "when it was shipped last" },
	{ 0 },
};

const struct schema_table schema_tables[SCHEMA_TABLES] = {
	[SCHEMA_EVENTS] = { "events", "a row for each event", events,
		"event, toStartOfMinute(time), process, thread, time, ns", .is_by_day = true,
		.today =
			"ADD INDEX IF NOT EXISTS by_number numbers TYPE bloom_filter(0.01) GRANULARITY 4,\n"
			"    MODIFY COLUMN ns CODEC(Delta, ZSTD),\n"
			"    MODIFY COLUMN numbers CODEC(ZSTD),\n"
			"    MODIFY COLUMN texts CODEC(ZSTD)" },
	[SCHEMA_GAPS] = { "gaps", "where events are missing", gaps,
		"toStartOfMinute(time), process, thread, time, ns", .is_by_day = true },
	[SCHEMA_PROCESSES] = { "processes", "the traces", processes, "process", .newest = "seen" },
	[SCHEMA_DECLARATIONS] = { "declarations", "what events have as fields", declarations,
		"event, declaration", .newest = "seen" },
};

/* Writes a name between backquotes. */
static void put_name(struct out *out, const char *name)
{
	out_char(out, '`');
	for (; *name; name++) {
		out_str(out, *name == '`' || *name == '\\' ? "\\" : "");
		out_char(out, *name);
	}
	out_char(out, '`');
}

static void put_text(struct out *out, const char *text)
{
	out_char(out, '\'');
	for (; *text; text++) {
		out_str(out, *text == '\'' || *text == '\\' ? "\\" : "");
		out_char(out, *text);
	}
	out_char(out, '\'');
}

/* Writes a table's full name; `is_all`: of all servers of the cluster. */
static void put_table(
	struct out *out, const struct schema_options *o, const char *table, bool is_all)
{
	put_name(out, o->database);
	out_printf(out, ".%s%s", is_all && o->cluster ? "all_" : "", table);
}

static void put_on_cluster(struct out *out, const struct schema_options *o)
{
	/*
	 * Needs the coordination that replicas need; without it, each server gets the statements.
	 * Old servers leave out the setting that they need when they pass on a statement.
	 */
	if (o->cluster && o->is_replicated && !o->is_old) {
		out_str(out, " ON CLUSTER ");
		put_name(out, o->cluster);
	}
}

static void put_engine(
	struct out *out, const struct schema_options *o, const char *table, const char *newest)
{
	out_printf(out, "ENGINE = %s%sMergeTree", o->is_replicated ? "Replicated" : "",
		newest ? "Replacing" : "");
	if (o->is_replicated) {
		out_printf(out, "('/clickhouse/tables/{shard}/%s/%s', '{replica}'%s%s)",
			o->database, table, newest ? ", " : "", newest ? newest : "");
	} else if (newest) {
		out_printf(out, "(%s)", newest);
	}
}

/*
 * A block that comes once more is ignored if it is among the last ones: after a fault, waymark ship
 * may send one to another replica, or a proxy may pass one on late. Old servers know that of
 * replicas only.
 */
static void put_window(struct out *out, const struct schema_options *o)
{
	out_printf(out, "%sreplicated_deduplication_window = %d", o->is_replicated ? "" : "non_",
		DEDUPLICATION_WINDOW);
}

static void put_columns(struct out *out, const struct schema_column *c)
{
	for (; c->name; c++) {
		out_printf(out, "    %s %s%s -- %s\n", c->name, block_type_name(c->type),
			c[1].name ? "," : "", c->about);
	}
}

static void put_alter(struct out *out, const struct schema_options *o, const struct schema_table *t)
{
	out_str(out, "ALTER TABLE ");
	put_table(out, o, t->name, false);
	put_on_cluster(out, o);
}

/* Gives a table what servers of today know, also one that was made without it. */
static void put_additions(
	struct out *out, const struct schema_options *o, const struct schema_table *t)
{
	if (t->today) {
		put_alter(out, o, t);
		out_printf(out, "\n    %s;\n\n", t->today);
	}
	if (t->is_by_day) {
		put_alter(out, o, t);
		out_str(out, " MODIFY SETTING ");
		put_window(out, o);
		out_str(out, ";\n\n");
	}
}

/* Writes the table that reads those of all servers. */
static void put_distributed(
	struct out *out, const struct schema_options *o, const struct schema_table *t)
{
	out_str(out, "CREATE TABLE IF NOT EXISTS ");
	put_table(out, o, t->name, true);
	put_on_cluster(out, o);
	out_str(out, " AS ");
	put_table(out, o, t->name, false);
	out_str(out, "\nENGINE = Distributed(");
	put_name(out, o->cluster);
	out_str(out, ", ");
	put_name(out, o->database);
	out_printf(out, ", %s, rand());\n\n", t->name);
}

static void put_one(struct out *out, const struct schema_options *o, const struct schema_table *t)
{
	out_printf(out, "-- %s\nCREATE TABLE IF NOT EXISTS ", t->about);
	put_table(out, o, t->name, false);
	put_on_cluster(out, o);
	out_str(out, "\n(\n");
	put_columns(out, t->columns);
	out_str(out, ")\n");
	put_engine(out, o, t->name, t->newest);
	out_printf(out, "%s\nORDER BY (%s)",
		t->is_by_day ? "\nPARTITION BY toDate(time, 'UTC')" : "", t->order);
	if (t->is_by_day && o->keep_days) {
		out_printf(out, "\nTTL time + toIntervalDay(%u)", o->keep_days);
	}
	if (t->is_by_day && o->is_old && o->is_replicated) { /* others get it by put_additions() */
		out_str(out, "\nSETTINGS ");
		put_window(out, o);
	}
	out_str(out, ";\n\n");
	if (o->cluster) {
		put_distributed(out, o, t);
	}
	if (!o->is_old) {
		put_additions(out, o, t);
	}
}

void schema_put(struct out *out, const struct schema_options *o)
{
	out_str(out, "CREATE DATABASE IF NOT EXISTS ");
	put_name(out, o->database);
	put_on_cluster(out, o);
	out_str(out, ";\n\n");
	put_settings(out, o);
	for (size_t i = 0; i < SCHEMA_TABLES; i++) {
		put_one(out, o, &schema_tables[i]);
	}
	out_str(out, "-- waymark ship refuses a server with another version\n"
		     "CREATE TABLE IF NOT EXISTS ");
	put_table(out, o, SCHEMA_OF_VERSION, false);
	put_on_cluster(out, o);
	out_str(out, "\n(\n    version UInt32,\n    made DateTime\n)\n");
	put_engine(out, o, SCHEMA_OF_VERSION, "made");
	out_str(out, "\nORDER BY version;\n\nINSERT INTO ");
	put_table(out, o, SCHEMA_OF_VERSION, false);
	out_printf(out, " SELECT %d, now();\n", SCHEMA_VERSION);
}

/* ---- Declarations and views ---- */

static uint64_t mix(uint64_t hash, const char *text)
{
	const uint64_t prime = UINT64_C(0x100000001b3); /* of FNV-1a */

	for (; *text; text++) {
		hash = (hash ^ (unsigned char)*text) * prime;
	}
	return hash * prime; /* the texts' ends count, too */
}

uint32_t schema_declaration(const struct event_class *class)
{
	uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), class->name);
	const struct event *e = class->event;

	for (size_t i = 0; e && i < e->arg_count; i++) {
		hash = mix(mix(hash, e->args[i].name), e->args[i].type.text);
	}
	return (uint32_t)(hash ^ hash >> 32);
}

/* Writes a field's value in the rows of a declaration. */
static void put_value(struct out *out, const struct event *e, size_t arg)
{
	const struct type *t = &e->args[arg].type;
	bool is_number = schema_is_number(&e->args[arg]);
	size_t at = 1;

	for (size_t i = 0; i < arg; i++) {
		at += schema_is_number(&e->args[i]) == is_number;
	}
	if (!is_number) {
		out_printf(out, "texts[%zu]", at);
	} else if (t->class == TYPE_FLOAT) {
		out_printf(out, "reinterpretAsFloat64(reinterpretAsString(numbers[%zu]))", at);
	} else if (t->is_signed) {
		out_printf(out, "toInt64(numbers[%zu])", at);
	} else {
		out_printf(out, "numbers[%zu]", at);
	}
}

static int find_arg(const struct event_class *class, const char *name)
{
	return class->event ? event_find_arg(class->event, name, strlen(name)) : -1;
}

/* The form of a column that has the field of several declarations. */
static const char *conversion(
	const struct event_class *const *classes, size_t count, const char *name)
{
	const char *is = NULL;

	for (size_t i = 0; i < count; i++) {
		int arg = find_arg(classes[i], name);

		if (arg < 0) {
			continue;
		}
		const struct arg *a = &classes[i]->event->args[arg];
		const char *own = !schema_is_number(a)		? "toString"
				  : a->type.class == TYPE_FLOAT ? "toFloat64"
				  : a->type.is_signed		? "toInt64"
								: "toUInt64";

		is = !is || is == own ? own : "toString";
	}
	return is;
}

/* The columns that all views have. */
static const char *const common[] = { "time", "ns", "host", "program", "process", "thread" };

/* Writes the name of a field's column. */
static void put_field_name(struct out *out, const char *field)
{
	char name[256];
	bool is_common = false;

	for (size_t i = 0; i < ARRAY_SIZE(common); i++) {
		is_common |= strcmp(common[i], field) == 0;
	}
	snprintf(name, sizeof(name), "%s%s", is_common ? "field_" : "", field);
	put_name(out, name);
}

/* Writes the column of a field, which some of the declarations have. */
static void put_field(
	struct out *out, const struct event_class *const *classes, size_t count, const char *name)
{
	const char *form = conversion(classes, count, name);
	const char *none = strcmp(form, "toString") == 0 ? "''" : "0";

	out_str(out, ",\n    ");
	out_str(out, count > 1 ? "multiIf(" : "");
	for (size_t i = 0; i < count; i++) {
		int arg = find_arg(classes[i], name);

		if (count > 1 && arg >= 0) {
			out_printf(
				out, "declaration = %" PRIu32 ", ", schema_declaration(classes[i]));
		}
		if (arg >= 0) {
			out_printf(out, "%s(", form);
			put_value(out, classes[i]->event, (size_t)arg);
			out_str(out, count > 1 ? "), " : ")");
		}
	}
	if (count > 1) {
		out_printf(out, "%s(%s))", form, none);
	}
	out_str(out, " AS ");
	put_field_name(out, name);
}

/* True if one of the first `count` classes has the field. */
static bool is_known(const struct event_class *const *classes, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (find_arg(classes[i], name) >= 0) {
			return true;
		}
	}
	return false;
}

/* Writes the name of an event's view, which differs from those of the tables. */
static void put_view(struct out *out, const struct schema_options *o, const char *event)
{
	char name[256];

	snprintf(name, sizeof(name), SCHEMA_VIEW "%s", event);
	put_name(out, o->database);
	out_char(out, '.');
	put_name(out, name);
	put_on_cluster(out, o);
}

void schema_put_view(struct out *out, const struct schema_options *o,
	const struct event_class *const *classes, size_t count)
{
	put_settings(out, o);
	out_str(out, "DROP TABLE IF EXISTS ");
	put_view(out, o, classes[0]->name);
	out_str(out, ";\nCREATE VIEW ");
	put_view(out, o, classes[0]->name);
	out_str(out, " AS SELECT\n    ");
	for (size_t i = 0; i < ARRAY_SIZE(common); i++) {
		out_printf(out, "%s%s", i ? ", " : "", common[i]);
	}
	for (size_t i = 0; i < count; i++) {
		const struct event *e = classes[i]->event;

		for (size_t arg = 0; e && arg < e->arg_count; arg++) {
			if (!is_known(classes, i, e->args[arg].name)) {
				put_field(out, classes, count, e->args[arg].name);
			}
		}
	}
	out_str(out, "\nFROM ");
	put_table(out, o, schema_tables[SCHEMA_EVENTS].name, true);
	out_str(out, "\nPREWHERE event = ");
	put_text(out, classes[0]->name);
	out_str(out, ";\n\n");
}
