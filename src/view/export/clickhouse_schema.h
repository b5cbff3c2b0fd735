/* SPDX-License-Identifier: MIT */
/*
 * The tables of a fleet in ClickHouse, as data: rows.c fills them, waymark schema prints them, and
 * waymark ship compares them with a server's. Constant; any thread.
 */
#ifndef VIEW_EXPORT_CLICKHOUSE_SCHEMA_H
#define VIEW_EXPORT_CLICKHOUSE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "read/record.h"
#include "text/out.h"
#include "view/export/clickhouse_block.h"

/* Incremented with each change of a table; schema.c then has the statements that change it. */
#define SCHEMA_VERSION 1

/* The table that has the version. */
#define SCHEMA_OF_VERSION "schema_version"

/* The names of views begin so. */
#define SCHEMA_VIEW "event_"

enum schema_kind {
	SCHEMA_EVENTS,
	SCHEMA_GAPS,
	SCHEMA_PROCESSES,
	SCHEMA_DECLARATIONS,
	SCHEMA_TABLES
};

struct schema_column {
	const char *name;
	enum block_type type;
	const char *about;
};

struct schema_table {
	const char *name;
	const char *about;
	const struct schema_column *columns; /* the last one has no name */
	const char *order;
	bool is_by_day; /* has a partition a day of UTC, and is removed by age */
	const char *newest; /* of rows with the same key, the one with the largest value stays */
	const char *today; /* how to alter it on servers that are not old */
};

extern const struct schema_table schema_tables[SCHEMA_TABLES];

/* What the statements depend on. */
struct schema_options {
	const char *database;
	const char *cluster; /* NULL: one server */
	bool is_replicated;
	bool is_old; /* the server is older than 19.14 */
	unsigned int keep_days; /* 0: for ever */
};

/* Writes the statements that make the tables. */
void schema_put(struct out *out, const struct schema_options *o);

/*
 * Writes the statement that makes a view with the fields of an event as columns. `classes`: the
 * classes of one name, with different declarations.
 */
void schema_put_view(struct out *out, const struct schema_options *o,
	const struct event_class *const *classes, size_t count);

/* Returns the number that tells declarations of an event apart: of its name, fields and types. */
uint32_t schema_declaration(const struct event_class *class);

/* True if a field is among a row's `numbers`, else it is among the `texts`. */
static inline bool schema_is_number(const struct arg *arg)
{
	return type_is_number(&arg->type);
}

#define SCHEMA_PARAMETERS_MAX 6

/* A query that users often need. */
struct schema_query {
	const char *name;
	const char *about;
	const char
		*sql; /* a template: ${database}, ${all}, which begins the names of tables, and: */
	struct schema_parameter {
		const char *name;
		const char *value; /* if the user gives none; NULL: he must */
	} parameters[SCHEMA_PARAMETERS_MAX]; /* the last one has no name */
};

/* The last one has no name. */
extern const struct schema_query schema_queries[];

/* Returns the query of that name; NULL if there is none. */
const struct schema_query *schema_find_query(const char *name);

/* Writes a query with a value for each of its parameters, in their order. */
void schema_put_query(struct out *out, const struct schema_query *q, const struct schema_options *o,
	const char *const *values);

#endif
