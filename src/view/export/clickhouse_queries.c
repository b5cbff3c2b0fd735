/* SPDX-License-Identifier: MIT */
/*
 * The queries that fleets need, in the SQL of servers from 18.16 on. Those of single events read
 * the views of `waymark schema clickhouse`, whose columns are the fields.
 */
#include <stdlib.h>
#include <string.h>

#include "view/export/clickhouse_schema.h"

#define AT "(toUInt64(time) * 1000000000 + ns)"
#define SINCE "now() - ${minutes} * 60"
/* The second condition is for old servers, whose index does not follow from the first. */
#define RECENT "time >= " SINCE " AND toStartOfMinute(time) >= toStartOfMinute(" SINCE ")"
/* Servers before 19 do not read less of a view otherwise. */
#define OF_VIEW "\nSETTINGS enable_optimize_predicate_expression = 1"

const struct schema_query schema_queries[] = {
	/*
	 * Keys such as addresses are used again, so the times of a key are put in order: even
	 * numbers are ends, odd ones begins, so that an event that is both ends before it begins.
	 * Host and program are looked up for the rows that are shown only.
	 */
	{ "slowest",
		"the slowest requests of all hosts, from one event to the next one of the same key",
		"SELECT host, program, process, key, begin, us, losses\n"
		"FROM\n"
		"(\n"
		"    SELECT process, key, toDateTime(intDiv(first, 2000000000)) AS begin, intDiv(took + 1, 2) / 1000 AS us,\n"
		"        arrayCount(t -> t > first AND t < first + took, lost) AS losses\n"
		"    FROM\n"
		"    (\n"
		"        SELECT process, key, first, took\n"
		"        FROM\n"
		"        (\n"
		"            SELECT process, key, arraySort(groupArray(mark)) AS marks, arrayPopBack(marks) AS firsts,\n"
		"                arrayMap((a, b) -> if(a % 2 = 1 AND b % 2 = 0, b - a, 0), firsts, arrayPopFront(marks)) AS tooks\n"
		"            FROM\n"
		"            (\n"
		"                SELECT process, `${by}` AS key, " AT " * 2 + 1 AS mark\n"
		"                FROM `${database}`.`event_${begin}` WHERE " RECENT "\n"
		"                UNION ALL\n"
		"                SELECT process, `${by}` AS key, " AT " * 2 AS mark\n"
		"                FROM `${database}`.`event_${end}` WHERE " RECENT "\n"
		"            )\n"
		"            GROUP BY process, key\n"
		"        )\n"
		"        ARRAY JOIN firsts AS first, tooks AS took\n"
		"        WHERE took > 0\n"
		"        ORDER BY took DESC\n"
		"        LIMIT ${limit}\n"
		"    ) AS slow\n"
		"    ANY LEFT JOIN\n"
		"    (\n"
		"        SELECT process, groupArray(" AT " * 2) AS lost\n"
		"        FROM `${database}`.${all}gaps WHERE " RECENT "\n"
		"        GROUP BY process\n"
		"    ) AS gaps_of\n"
		"    USING process\n"
		") AS counted\n"
		"ANY LEFT JOIN\n"
		"(\n"
		"    SELECT process, any(host) AS host, any(program) AS program\n"
		"    FROM `${database}`.`event_${begin}` WHERE " RECENT "\n"
		"    GROUP BY process\n"
		") AS names\n"
		"USING process\n"
		"ORDER BY us DESC" OF_VIEW,
		{ { "begin", NULL }, { "end", NULL }, { "by", NULL }, { "minutes", "10" },
			{ "limit", "20" } } },
	{ "percentiles", "percentiles of a field by host and minute",
		"SELECT toStartOfMinute(time) AS minute, host, count() AS events,\n"
		"    quantiles(0.5, 0.9, 0.99, 0.999)(`${field}`) AS p50_p90_p99_p999, max(`${field}`) AS most\n"
		"FROM `${database}`.`event_${event}`\n"
		"WHERE " RECENT "\n"
		"GROUP BY minute, host\n"
		"ORDER BY minute, host" OF_VIEW,
		{ { "event", NULL }, { "field", NULL }, { "minutes", "60" } } },
	{ "rates", "events a second, by event, host and minute",
		"SELECT toStartOfMinute(time) AS minute, event, host, round(count() / 60, 2) AS rate\n"
		"FROM `${database}`.${all}events\n"
		"WHERE toStartOfMinute(time) >= toStartOfMinute(" SINCE ")\n"
		"GROUP BY minute, event, host\n"
		"ORDER BY minute, event, host",
		{ { "minutes", "60" } } },
	{ "losses", "which hosts lost events, and how many",
		"SELECT host, program, sum(lost) AS lost, sum(overwritten) AS overwritten,\n"
		"    sum(rotated) AS rotated_packets, sum(missing) AS missing_packets,\n"
		"    min(time) AS first, max(time) AS last\n"
		"FROM `${database}`.${all}gaps\n"
		"WHERE " RECENT "\n"
		"GROUP BY host, program\n"
		"ORDER BY lost + overwritten DESC",
		{ { "minutes", "60" } } },
	{ "request", "all events of all hosts that have a number among their fields",
		"SELECT time, ns, host, program, process, thread, event, numbers, texts\n"
		"FROM `${database}`.${all}events\n"
		"WHERE " RECENT " AND has(numbers, toUInt64(${key}))\n"
		"ORDER BY time, ns\n"
		"LIMIT ${limit}",
		{ { "key", NULL }, { "minutes", "60" }, { "limit", "1000" } } },
	{ 0 },
};

const struct schema_query *schema_find_query(const char *name)
{
	const struct schema_query *q = schema_queries;

	while (q->name && strcmp(q->name, name) != 0) {
		q++;
	}
	return q->name ? q : NULL;
}

/* Returns a value that ends neither a text nor a name; the caller frees it. */
static char *escaped(const char *value)
{
	struct out text;

	out_init(&text, OUT_TO_MEMORY);
	for (; *value; value++) {
		out_str(&text, strchr("\\'`", *value) ? "\\" : "");
		out_char(&text, *value);
	}
	out_char(&text, '\0');
	return text.data;
}

void schema_put_query(struct out *out, const struct schema_query *q, const struct schema_options *o,
	const char *const *values)
{
	struct out_hole holes[SCHEMA_PARAMETERS_MAX + 3] = {
		{ "database", o->database },
		{ "all", o->cluster ? "all_" : "" },
	};
	char *texts[SCHEMA_PARAMETERS_MAX] = { NULL };

	for (size_t i = 0; q->parameters[i].name; i++) {
		texts[i] = escaped(values[i]);
		holes[i + 2] = (struct out_hole){ q->parameters[i].name, texts[i] };
	}
	out_template(out, q->sql, holes);
	for (size_t i = 0; i < SCHEMA_PARAMETERS_MAX; i++) {
		free(texts[i]);
	}
}
