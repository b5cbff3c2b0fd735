/* SPDX-License-Identifier: MIT */
/*
 * A server stores a block of one partition as a whole or not at all, so the rows of a part are
 * there or are not. A part of another table replaces rows with the same key: it may be sent twice.
 * While a former request is still running on the server, the sender waits.
 */
#include "ship/send.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

#define PAUSE_MS 20 /* while there is nothing to send */
#define RETRY_MIN_MS 200
#define RETRY_MAX_MS 10000
#define QUERY_ID_SIZE 48

/* ---- Checks ---- */

static bool has_replicas(const struct server *s)
{
	return strchr(s->replicas, '|');
}

/* Asks for a number. False with the reason in `error`. */
static bool ask_number(struct server *s, const char *query, uint64_t *number)
{
	struct out answer;
	bool ok = server_ask(s, query, &answer) == SERVER_DONE;

	/* A proxy may answer with something else. */
	if (ok && (answer.len <= 1 || answer.data[strspn(answer.data, "0123456789")])) {
		ok = error_set(s->error, "%s: an answer is no number: is it ClickHouse?", s->name);
	}
	*number = ok ? strtoull(answer.data, NULL, 10) : 0;
	out_fini(&answer);
	return ok;
}

/* Rows of servers that are no replicas would be stored by each. */
static enum server_result check_replicas(struct server *s)
{
	char query[256];
	uint64_t tables;

	snprintf(query, sizeof(query),
		"SELECT count() FROM system.replicas WHERE database = '%.100s' AND table IN "
		"('events', 'gaps')",
		s->of->database);
	if (!ask_number(s, query, &tables)) {
		return SERVER_UNREACHED;
	}
	if (tables == 2) {
		return SERVER_DONE;
	}
	error_set(s->error,
		"%s: --to names it with replicas, but tables of %s have none: make them by "
		"'waymark schema clickhouse --replicated', or write a ',' between servers",
		s->name, s->of->database);
	return SERVER_REFUSED;
}

static enum server_result check_version(struct server *s)
{
	char query[256];
	struct out answer;

	snprintf(query, sizeof(query), "SELECT max(version) FROM `%.100s`." SCHEMA_OF_VERSION,
		s->of->database);
	enum server_result result = server_ask(s, query, &answer);

	if (result == SERVER_DONE && strtoul(answer.data, NULL, 10) != SCHEMA_VERSION) {
		result = SERVER_REFUSED;
		error_set(s->error,
			"%s: the tables of %s have version %.20s, this waymark needs %d: see "
			"'waymark schema clickhouse'",
			s->name, s->of->database, answer.data, SCHEMA_VERSION);
	}
	out_fini(&answer);
	return result;
}

/*
 * Servers of today collect rows of several requests, and may answer before these are stored, unless
 * an INSERT has a setting that old servers refuse.
 */
static enum server_result check_settings(struct server *s)
{
	uint64_t found;

	if (!ask_number(
		    s, "SELECT count() FROM system.settings WHERE name = 'async_insert'", &found)) {
		return SERVER_UNREACHED;
	}
	s->has_async_inserts = found > 0;
	return SERVER_DONE;
}

/* Finds the type of a column in lines `TABLE NAME TYPE`; returns its end, or NULL. */
static const char *find_column(
	const char *lines, const char *table, const char *column, const char **type)
{
	char head[160];
	size_t length = (size_t)snprintf(head, sizeof(head), "%s\t%s\t", table, column);

	for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, head, length) == 0) {
			*type = line + length;
			return line + strcspn(line, "\n");
		}
	}
	return NULL;
}

static bool check_columns(struct server *s, const char *lines)
{
	for (size_t t = 0; t < SCHEMA_TABLES; t++) {
		const char *table = schema_tables[t].name;

		for (const struct schema_column *c = schema_tables[t].columns; c->name; c++) {
			const char *wanted = block_type_name(c->type);
			const char *type = "missing";
			const char *end = find_column(lines, table, c->name, &type);
			size_t length = end ? (size_t)(end - type) : strlen(type);

			if (length != strlen(wanted) || strncmp(type, wanted, length) != 0) {
				return error_set(s->error,
					"%s: column %s of table %s.%s is %.*s, not %s: "
					"'waymark schema clickhouse' prints what it must be",
					s->name, c->name, s->of->database, table, (int)length, type,
					wanted);
			}
		}
	}
	return true;
}

enum server_result sender_check(struct server *s)
{
	char query[256];
	struct out answer;

	snprintf(query, sizeof(query),
		"SELECT table, name, type FROM system.columns WHERE database = '%.100s'",
		s->of->database);
	enum server_result result = server_ask(s, query, &answer);
	bool has_tables = answer.len > 1;

	if (result == SERVER_DONE && !has_tables) {
		error_set(s->error,
			"%s: there is no database %s with tables: make them by "
			"'waymark schema clickhouse --database=%s | clickhouse-client --multiquery'",
			s->name, s->of->database, s->of->database);
	}
	if (result == SERVER_DONE && !(has_tables && check_columns(s, answer.data))) {
		result = SERVER_REFUSED;
	}
	out_fini(&answer);
	result = result == SERVER_DONE ? check_version(s) : result;
	result = result == SERVER_DONE ? check_settings(s) : result;
	return result == SERVER_DONE && has_replicas(s) ? check_replicas(s) : result;
}

/* ---- One part ---- */

enum stored { STORED, NOT_STORED, STORED_UNKNOWN };

static const struct batch_part *part_of(const struct sender *s)
{
	return &s->batch.parts.items[s->part];
}

static void name_query(const struct sender *s, char id[QUERY_ID_SIZE])
{
	snprintf(id, QUERY_ID_SIZE, "waymark-%016" PRIx64 "-%zu", s->batch.number, s->part);
}

/* Asks the server a question about the rows of the part. */
static bool ask_of_rows(struct sender *s, const char *head, const char *tail, uint64_t *number)
{
	const struct batch_part *p = part_of(s);
	struct out query;

	out_init(&query, OUT_TO_MEMORY);
	out_printf(&query,
		"%s FROM `%s`.%s WHERE batch = %" PRIu64 " AND time >= toDateTime(%" PRIu64
		") AND time < toDateTime(%" PRIu64 ")%s",
		head, s->server->of->database, schema_tables[p->table].name, s->batch.number,
		BATCH_DAY * (uint64_t)p->day, BATCH_DAY * ((uint64_t)p->day + 1), tail);
	out_char(&query, '\0');
	bool ok = ask_number(s->server, query.data, number);

	out_fini(&query);
	return ok;
}

/*
 * A replica whose connection to ZooKeeper ended just then may have rows that ZooKeeper does not
 * know: no other replica gets them, and they go when it begins anew. `path`: of the replica there.
 */
static enum stored look_at_zookeeper(struct sender *s, const char *path)
{
	char head[512];
	uint64_t parts;

	snprintf(head, sizeof(head),
		"SELECT count() FROM system.zookeeper WHERE path = '%.300s/parts' AND name IN "
		"(SELECT DISTINCT _part",
		path);
	if (!ask_of_rows(s, head, ")", &parts)) {
		return STORED_UNKNOWN;
	}
	if (parts == 0) {
		error_set(s->server->error,
			"%s: it has rows of batch %" PRIu64 " that ZooKeeper does not know: run "
			"'SYSTEM RESTART REPLICA %s.%s' there to remove them",
			s->server->name, s->batch.number, s->server->of->database,
			schema_tables[part_of(s)->table].name);
		if (s->counts->failures == 1) { /* what was reported then is another failure */
			ship_report(s->report, s->server->error);
		}
	}
	return parts > 0 ? STORED : STORED_UNKNOWN;
}

/* Finds out whether rows that a server has will stay there. */
static enum stored look_at_replica(struct sender *s)
{
	char query[512];
	struct out path;

	snprintf(query, sizeof(query),
		"SELECT replica_path FROM system.replicas WHERE database = '%.100s' AND table = "
		"'%s'",
		s->server->of->database, schema_tables[part_of(s)->table].name);
	enum stored stored =
		server_ask(s->server, query, &path) == SERVER_DONE ? STORED : STORED_UNKNOWN;

	if (stored == STORED && path.len > 1) {
		stored = look_at_zookeeper(s, path.data);
	}
	out_fini(&path);
	return stored;
}

/* Finds out whether the part was stored by a request whose answer is unknown. */
static enum stored look(struct sender *s)
{
	const struct batch_part *p = part_of(s);
	char id[QUERY_ID_SIZE];
	char query[512];
	uint64_t running;
	uint64_t rows;

	if (!schema_tables[p->table].is_by_day) {
		return NOT_STORED;
	}
	name_query(s, id);
	snprintf(query, sizeof(query), "SELECT count() FROM system.processes WHERE query_id = '%s'",
		id);
	if (!ask_number(s->server, query, &running)) {
		return STORED_UNKNOWN;
	}
	if (running > 0) {
		error_set(s->server->error, "%s: a former request still runs", s->server->name);
		return STORED_UNKNOWN;
	}
	if (!ask_of_rows(s, "SELECT count()", "", &rows)) {
		return STORED_UNKNOWN;
	}
	if (rows > 0 && rows != p->rows) {
		error_set(s->server->error,
			"%s: batch %" PRIu64 " has %" PRIu64 " rows in %s, not %" PRIu64,
			s->server->name, s->batch.number, rows, schema_tables[p->table].name,
			p->rows);
		ship_report(s->report, s->server->error);
	}
	return rows > 0 ? look_at_replica(s) : NOT_STORED;
}

static void write_query(const struct sender *s, struct out *query)
{
	const struct schema_table *t = &schema_tables[part_of(s)->table];

	out_init(query, OUT_TO_MEMORY);
	out_printf(query, "INSERT INTO `%s`.%s (", s->server->of->database, t->name);
	for (const struct schema_column *c = t->columns; c->name; c++) {
		out_printf(query, "%s%s", c == t->columns ? "" : ", ", c->name);
	}
	out_str(query, ") FORMAT Native");
	out_char(query, '\0');
}

static bool insert(struct sender *s)
{
	const struct batch_part *p = part_of(s);
	char id[QUERY_ID_SIZE];
	struct out query;

	write_query(s, &query);
	name_query(s, id);
	const struct server_rows rows = { query.data, id, s->batch.frames.data + s->at, p->bytes };
	enum server_result result = server_insert(s->server, &rows);

	out_fini(&query);
	s->is_uncertain = result != SERVER_DONE;
	return result == SERVER_DONE;
}

static bool send_part(struct sender *s)
{
	enum stored stored = s->is_uncertain || s->number < s->former ? look(s) : NOT_STORED;

	if (stored == STORED_UNKNOWN || (stored == NOT_STORED && !insert(s))) {
		return false;
	}
	const struct batch_part *p = part_of(s);

	if (schema_tables[p->table].is_by_day) {
		__atomic_fetch_add(&s->counts->rows, p->rows, __ATOMIC_RELAXED);
	}
	__atomic_fetch_add(&s->counts->bytes, p->bytes, __ATOMIC_RELAXED);
	s->is_uncertain = false;
	s->at += p->bytes;
	s->part++;
	return true;
}

/* ---- All parts ---- */

static void pause_ms(const struct sender *s, unsigned int ms)
{
	const struct timespec slice = { 0, PAUSE_MS * 1000000L };

	for (unsigned int waited = 0;
		waited < ms && !__atomic_load_n(&s->is_ended, __ATOMIC_RELAXED);
		waited += PAUSE_MS) {
		nanosleep(&slice, NULL);
	}
}

/* Goes on with the next replica, if there are several. */
static void turn(struct sender *s)
{
	if (has_replicas(s->server)) {
		server_next(s->server);
		s->is_checked = false;
	}
}

/* Reports the begin and the end of failures, and waits longer after each. */
static void note(struct sender *s, bool is_sent)
{
	uint64_t before = s->counts->failures;
	unsigned int ms = RETRY_MIN_MS << (before < 6 ? before : 6);
	char text[700];

	if (is_sent && before > 0) {
		snprintf(text, sizeof(text), "%s: sending goes on", s->server->name);
		ship_report(s->report, text);
	}
	if (!is_sent && before == 0) {
		snprintf(
			text, sizeof(text), "%s: events are kept until it works", s->server->error);
		ship_report(s->report, text);
	}
	__atomic_store_n(&s->counts->failures, is_sent ? 0 : before + 1, __ATOMIC_RELAXED);
	if (!is_sent) {
		turn(s);
		pause_ms(s, ms < RETRY_MAX_MS ? ms : RETRY_MAX_MS);
	}
}

/* Takes the oldest batch. */
static void take(struct sender *s)
{
	char error[sizeof(s->server->error)];
	enum spool_result result = spool_take(s->spool, s->queue, &s->batch, error);

	if (result == SPOOL_DAMAGED) {
		ship_report(s->report, error);
		spool_drop(s->spool, s->queue, true);
	} else if (result == SPOOL_UNREADABLE) {
		error_set(s->server->error, "%s", error);
		note(s, false);
	} else {
		s->batch.number = sender_batch(s->shipper, s->number);
		s->is_taken = true;
		s->part = 0;
		s->at = 0;
	}
}

static void *run(void *sender)
{
	struct sender *s = sender;

	while (!__atomic_load_n(&s->is_ended, __ATOMIC_RELAXED)) {
		if (!s->is_taken && !spool_oldest(s->spool, s->queue, &s->number)) {
			pause_ms(s, PAUSE_MS);
		} else if (!s->is_checked) {
			s->is_checked = sender_check(s->server) == SERVER_DONE;
			if (!s->is_checked) {
				note(s, false);
			}
		} else if (!s->is_taken) {
			take(s);
		} else if (s->part < s->batch.parts.count) {
			note(s, send_part(s));
		} else {
			spool_drop(s->spool, s->queue, false);
			s->is_taken = false;
		}
	}
	return NULL;
}

bool sender_start(struct sender *s)
{
	batch_init(&s->batch);
	s->former = s->spool->next;
	return pthread_create(&s->thread, NULL, run, s) == 0;
}

void sender_end(struct sender *s)
{
	__atomic_store_n(&s->is_ended, true, __ATOMIC_RELAXED);
	pthread_join(s->thread, NULL);
	batch_fini(&s->batch);
}
