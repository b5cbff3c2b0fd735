/* SPDX-License-Identifier: MIT */
/*
 * Counts of the events for which an expression is true, in columns of a time; and how much there is
 * in columns of the whole trace. A question about a long time is answered in pieces of
 * PIECE_RECORDS records, so that other answers do not wait long. Each piece says where the next one
 * begins; a page that no longer wants the rest does not ask for it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cmd/view/answer/answers.h"
#include "cmd/view/answer/running.h"
#include "read/where.h"
#include "timeline/overview.h"

/* Records of a piece: some 100 ms. */
#define PIECE_RECORDS (UINT64_C(1) << 21)

#define COLUMNS_MAX 4000

/* The piece of a time that an answer reads. */
struct piece {
	struct time_range all;
	int64_t begin_ns;
	int64_t end_ns; /* not included */
	uint64_t *counts; /* by column of `all` */
	size_t columns;
	uint64_t count;
	volatile sig_atomic_t *is_over;
};

/* ---- Reading ---- */

static int64_t time_of(const struct filter *f, const struct filter_time *t)
{
	return t->ns + (t->relative ? f->first_ns : 0);
}

void answer_limit(struct viewer *v, struct filter *f, int64_t from_ns, int64_t until_ns)
{
	const struct filter *all = &v->session->filter;
	int64_t from = from_ns;
	int64_t to = until_ns - 1;

	viewer_lock(v);
	if (all->from.set && time_of(all, &all->from) > from) {
		from = time_of(all, &all->from);
	}
	if (all->to.set && time_of(all, &all->to) < to) {
		to = time_of(all, &all->to);
	}
	viewer_unlock(v);
	f->from = (struct filter_time){ .ns = from, .set = true };
	f->to = (struct filter_time){ .ns = to, .set = true };
}

static void count_records(struct reader *r, struct filter *f, struct piece *p)
{
	double share = (double)p->columns / (double)(p->all.to - p->all.from + 1);
	bool is_ordered = reader_is_ordered(r);
	enum read_result result;
	struct record rec;

	while (!running_is_over(p->is_over) &&
		((result = reader_next(r, &rec)) == READ_RECORD || result == READ_PROBLEM)) {
		if (result == READ_PROBLEM || rec.kind != RECORD_EVENT) {
			continue;
		}
		if (is_ordered && (int64_t)rec.ns >= p->end_ns) {
			break;
		}
		if (filter_passes(f, &rec)) {
			double at = (double)((int64_t)rec.ns - p->all.from) * share;
			size_t column = (size_t)at;

			p->counts[column < p->columns ? column : p->columns - 1]++;
			p->count++;
		}
	}
}

/* Counts with an expression, which it frees. */
static void count_piece(struct viewer *v, struct where *where, struct piece *p)
{
	struct filter filter;
	struct reader *r = session_open_beside(v->session, &filter);

	where_free(filter.where);
	filter.where = where;
	if (r) {
		answer_limit(v, &filter, p->begin_ns, p->end_ns);
		filter_start(&filter, r);
		filter_limit(&filter);
		count_records(r, &filter, p);
	}
	filter_fini(&filter);
	reader_close(r);
}

/* ---- The answers ---- */

/* Finds the end of the piece; false if the pass has not come to its begin yet. */
static bool end_piece(struct viewer *v, struct piece *p)
{
	viewer_lock(v);
	int64_t known = v->is_done ? INT64_MAX : v->levels.last_ns;

	/* A trace that does not declare its events is read from its begin for each piece. */
	p->end_ns = v->meets_events ? INT64_MAX
				    : overview_until(&v->levels, p->begin_ns, PIECE_RECORDS);
	viewer_unlock(v);
	p->end_ns = p->end_ns < known ? p->end_ns : known;
	p->end_ns = p->end_ns <= p->all.to ? p->end_ns : p->all.to + 1;
	return p->end_ns > p->begin_ns;
}

static void put_counts(struct viewer *v, const struct piece *p, struct out *out)
{
	bool is_first = true;

	out_printf(out, "{\"count\":%" PRIu64 ",\"next\":", p->count);
	if (p->end_ns > p->all.to) {
		out_str(out, "null");
	} else {
		out_printf(out, "%" PRId64, p->end_ns - viewer_first_ns(v));
	}
	out_str(out, ",\"columns\":[");
	for (size_t i = 0; i < p->columns; i++) {
		if (p->counts[i] > 0) {
			out_printf(
				out, "%s[%zu,%" PRIu64 "]", is_first ? "" : ",", i, p->counts[i]);
			is_first = false;
		}
	}
	out_str(out, "]}");
}

unsigned int answer_hits(struct viewer *v, const struct question *q, struct out *out)
{
	struct piece p = { .is_over = q->is_over };
	uint64_t columns;
	uint64_t begin;

	if (!question_range(v, q, &p.all)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!question_number(q, "columns", &columns) || columns == 0 || columns > COLUMNS_MAX) {
		return answer_refuse(out, "columns", "a number from 1 to 4000");
	}
	if (!question_number(q, "begin", &begin)) {
		return answer_refuse(out, "begin", "a time in ns");
	}
	struct where *where = answer_where(v, q, out);

	if (!where) {
		return 400;
	}
	p.begin_ns = viewer_first_ns(v) + (int64_t)begin;
	p.begin_ns = p.begin_ns > p.all.from ? p.begin_ns : p.all.from;
	p.columns = (size_t)columns;
	p.counts = xcalloc(p.columns, sizeof(*p.counts));
	if (end_piece(v, &p)) {
		count_piece(v, where, &p);
	} else {
		where_free(where);
	}
	put_counts(v, &p, out);
	free(p.counts);
	return 200;
}

unsigned int answer_overview(struct viewer *v, const struct question *q, struct out *out)
{
	uint64_t columns;

	if (!question_number(q, "columns", &columns) || columns == 0 || columns > COLUMNS_MAX) {
		return answer_refuse(out, "columns", "a number from 1 to 4000");
	}
	struct overview_column *all = xcalloc((size_t)columns, sizeof(*all));

	viewer_lock(v);
	overview_columns(&v->levels, all, (size_t)columns);
	viewer_unlock(v);
	out_str(out, "{\"columns\":[");
	for (size_t i = 0; i < (size_t)columns; i++) {
		out_printf(out, "%s%" PRIu64, i ? "," : "", all[i].count);
	}
	out_str(out, "],\"lost\":[");
	for (size_t i = 0, n = 0; i < (size_t)columns; i++) {
		if (all[i].lost > 0) {
			out_printf(out, "%s[%zu,%" PRIu64 "]", n++ ? "," : "", i, all[i].lost);
		}
	}
	out_str(out, "]}");
	free(all);
	return 200;
}
