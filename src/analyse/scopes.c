/* SPDX-License-Identifier: MIT */
/*
 * Sums up scopes in a report: each finished scope adds its length and own time to the row of its
 * name, and of its thread or process if wanted.
 */
#include "analyse/scopes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "read/reader.h"
#include "read/where.h"

void scopes_init(struct scopes *s, struct reader *reader, enum scopes_by by)
{
	static const char *const groups[] = { NULL, "pid", "thread" };

	*s = (struct scopes){ .reader = reader, .by = by };
	s->report.group = groups[by];
	s->report.has_self = true;
	pairs_init(&s->pairs, &reader->classes);
}

void scopes_fini(struct scopes *s)
{
	report_fini(&s->report);
	pairs_fini(&s->pairs);
	vec_fini(&s->by_name);
}

char *scopes_who(const struct reader *r, const struct key *key, bool has_tid)
{
	const char *path = r->trace_count > 1 ? r->traces[key->trace].path : NULL;
	char *text = NULL;
	char pid[16] = "-";
	char tid[16] = "";

	if (!r->has_pid || reader_knows_pid(r, key->trace, key->pid)) {
		snprintf(pid, sizeof(pid), "%" PRIu32, key->pid);
	}
	if (has_tid) {
		snprintf(tid, sizeof(tid), "/%" PRIu32, key->tid);
	}
	if (asprintf(&text, "%s%s%s%s", path ? path : "", path ? ":" : "", pid, tid) < 0) {
		abort();
	}
	return text;
}

static COLD struct report_row *find_row(struct scopes *s, const struct scope_span *span)
{
	struct key key = { .name = span->key.name };
	bool is_new;

	if (s->by != SCOPES_BY_NAME) {
		key.trace = span->key.trace;
		key.pid = span->key.pid;
		key.tid = s->by == SCOPES_BY_THREAD ? span->key.tid : 0;
	}
	struct report_row *row = report_row(&s->report, &key, &is_new);

	if (is_new) {
		row->name = s->pairs.names.items[span->key.name];
		row->group = s->by == SCOPES_BY_NAME
				     ? NULL
				     : scopes_who(s->reader, &key, s->by == SCOPES_BY_THREAD);
	}
	return row;
}

/* Finds the row without hashing if rows are by name only, the usual case. */
static struct report_row *row_of(struct scopes *s, const struct scope_span *span)
{
	uint32_t name = span->key.name;

	if (s->by != SCOPES_BY_NAME) {
		return find_row(s, span);
	}
	while (UNLIKELY(s->by_name.count <= name)) {
		vec_push(&s->by_name, 0);
	}
	if (UNLIKELY(s->by_name.items[name] == 0)) {
		s->by_name.items[name] = (uint32_t)(find_row(s, span) - s->report.rows.items) + 1;
	}
	return &s->report.rows.items[s->by_name.items[name] - 1];
}

static void add_span(struct scopes *s, const struct scope_span *span)
{
	struct report_row *row = row_of(s, span);

	report_add(row, span->end_ns - span->begin_ns);
	row->self_ns += span->self_ns;
	if (row->selves) {
		batches_add(row->selves, span->self_ns);
	}
}

void scopes_end_open(struct scopes *s, const struct key *key, uint64_t ns)
{
	const struct record end = { .kind = RECORD_EVENT,
		.trace = key->trace,
		.pid = key->pid,
		.tid = key->tid,
		.ns = ns };

	if (pairs_end(&s->pairs, &end, key) == PAIRS_ENDED) {
		add_span(s, &s->pairs.span);
	}
}

static bool is_selected(struct scopes *s, const struct record *rec)
{
	return !s->where || where_passes(s->where, s->reader, rec);
}

enum pairs_result scopes_add(struct scopes *s, const struct record *rec)
{
	const struct scope_span *span = &s->pairs.span;
	enum pairs_result result = pairs_take(&s->pairs, s->reader, rec);

	if (result == PAIRS_NOTHING) {
		return result;
	}
	bool is_chosen = is_selected(s, rec);

	if (result == PAIRS_BEGUN || result == PAIRS_BEGUN_TWICE) {
		pairs_select(&s->pairs, is_chosen);
	}
	if (result == PAIRS_ENDED || result == PAIRS_BEGUN_TWICE) {
		is_chosen = pairs_is_selected(span) || (result == PAIRS_ENDED && is_chosen);
	}
	if (!is_chosen) {
		return PAIRS_NOTHING;
	}
	switch (result) {
	case PAIRS_ENDED:
		add_span(s, span);
		break;
	case PAIRS_BEGUN_TWICE:
		row_of(s, span)->unpaired.begun_twice++;
		break;
	case PAIRS_UNBEGUN:
		row_of(s, span)->unpaired.unbegun++;
		break;
	case PAIRS_UNBEGUN_LOST:
		row_of(s, span)->unpaired.begin_lost++;
		break;
	case PAIRS_NOTHING:
	case PAIRS_BEGUN:
		break;
	}
	return result;
}

static void add_unfinished(void *data, const struct scope_span *span)
{
	if (!pairs_is_selected(span)) {
		return;
	}
	struct unpaired *u = &row_of(data, span)->unpaired;

	*(span->is_lost ? &u->end_lost : &u->unfinished) += 1;
}

void scopes_end(struct scopes *s)
{
	pairs_unfinished(&s->pairs, add_unfinished, s);
}
