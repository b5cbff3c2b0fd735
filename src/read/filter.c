/* SPDX-License-Identifier: MIT */
/*
 * Filters records by name, time, process, thread and fields. Names are matched once for each event
 * class, so a filter belongs to one reader. Commands call this between the reader and the view.
 */
#include "read/filter.h"

#include <string.h>

#include "base/glob.h"
#include "base/regex.h"
#include "read/where.h"
#include "text/scan.h"

#define NS_PER_S INT64_C(1000000000)

/* Most seconds that fit into nanoseconds of 63 bits. */
#define SECONDS_MAX (INT64_MAX / NS_PER_S - 1)

enum verdict { UNASKED, WANTED, UNWANTED };

/* ---- Patterns ---- */

bool name_pattern_read(struct name_pattern *p, const char *text, char *why, size_t size)
{
	size_t length = strlen(text);

	*p = (struct name_pattern){ .text = text };
	if (length < 3 || text[0] != '/' || text[length - 1] != '/') {
		return true;
	}
	p->is_regex = regex_compile(&p->regex, text + 1, length - 2, why, size);
	return p->is_regex;
}

void name_pattern_fini(struct name_pattern *p)
{
	if (p->is_regex) {
		regfree(&p->regex);
	}
	*p = (struct name_pattern){ 0 };
}

bool name_pattern_meets(const struct name_pattern *p, const char *name)
{
	if (p->is_regex) {
		return regexec(&p->regex, name, 0, NULL, 0) == 0;
	}
	return !p->text || glob_match_name(p->text, name);
}

/* ---- Filters ---- */

void filter_init(struct filter *f)
{
	*f = (struct filter){ 0 };
}

void filter_fini(struct filter *f)
{
	vec_foreach (struct name_pattern *, it, &f->patterns) {
		name_pattern_fini(it);
	}
	vec_fini(&f->patterns);
	vec_fini(&f->pids);
	vec_fini(&f->tids);
	vec_fini(&f->verdicts);
	where_free(f->where);
	where_free(f->condition);
}

static void copy_ids(struct filter_ids *to, const struct filter_ids *from)
{
	for (size_t i = 0; i < from->count; i++) {
		vec_push(to, from->items[i]);
	}
}

static struct where *copy_where(const struct where *from)
{
	struct expr_error unused; /* it was parsed before */

	return from ? where_parse(where_text(from), &unused) : NULL;
}

void filter_copy(struct filter *f, const struct filter *from)
{
	struct name_pattern pattern;
	char unused[256]; /* texts were read before */

	filter_init(f);
	vec_foreach (const struct name_pattern *, it, &from->patterns) {
		if (name_pattern_read(&pattern, it->text, unused, sizeof(unused))) {
			pattern.is_excluded = it->is_excluded;
			vec_push(&f->patterns, pattern);
		}
	}
	copy_ids(&f->pids, &from->pids);
	copy_ids(&f->tids, &from->tids);
	f->from = from->from;
	f->to = from->to;
	f->is_of_pairs = from->is_of_pairs;
	f->where = copy_where(from->where);
	f->condition = copy_where(from->condition);
}

bool filter_is_relative(const struct filter *f)
{
	return (f->from.set && f->from.relative) || (f->to.set && f->to.relative);
}

bool filter_add_pattern(struct filter *f, const char *text, char *why, size_t size)
{
	bool is_excluded = *text == '-';
	struct name_pattern pattern;

	if (!name_pattern_read(&pattern, text + is_excluded, why, size)) {
		return false;
	}
	pattern.is_excluded = is_excluded;
	vec_push(&f->patterns, pattern);
	return true;
}

bool filter_parse_time(struct filter_time *t, const char *text)
{
	int64_t seconds = 0;
	int64_t scale = NS_PER_S;
	int64_t fraction = 0;
	bool is_negative = *text == '-';

	*t = (struct filter_time){ .relative = *text == '+', .set = true };
	text += t->relative || is_negative;
	if (!is_digit(*text) && !(*text == '.' && is_digit(text[1]))) {
		return false;
	}
	for (; is_digit(*text) && seconds <= SECONDS_MAX; text++) {
		seconds = seconds * 10 + (*text - '0');
	}
	text += *text == '.';
	for (; is_digit(*text); text++) {
		scale /= 10;
		fraction += (*text - '0') * scale;
	}
	t->ns = (is_negative ? -1 : 1) * (seconds * NS_PER_S + fraction);
	return *text == '\0' && seconds <= SECONDS_MAX;
}

static int64_t absolute(const struct filter *f, struct filter_time t)
{
	return (int64_t)((uint64_t)t.ns + (t.relative ? (uint64_t)f->first_ns : 0));
}

static void note_first(struct filter *f, int64_t ns)
{
	if (!f->started) {
		f->started = true;
		f->first_ns = ns;
	}
}

static bool in_window(struct filter *f, int64_t ns)
{
	note_first(f, ns);
	return (!f->from.set || ns >= absolute(f, f->from)) &&
	       (!f->to.set || ns <= absolute(f, f->to));
}

/* True if `id` is wanted. An empty list wants all. */
static bool has_id(const struct filter_ids *wanted, uint32_t id)
{
	vec_foreach (const uint32_t *, it, wanted) {
		if (*it == id) {
			return true;
		}
	}
	return wanted->count == 0;
}

/* The last matching pattern decides; if none matches, the opposite of the first one. */
static enum verdict judge(const struct filter *f, const char *name)
{
	for (size_t i = f->patterns.count; i-- > 0;) {
		if (name_pattern_meets(&f->patterns.items[i], name)) {
			return f->patterns.items[i].is_excluded ? UNWANTED : WANTED;
		}
	}
	return f->patterns.items[0].is_excluded ? WANTED : UNWANTED;
}

bool filter_wants_name(const struct filter *f, const char *name)
{
	return f->patterns.count == 0 || judge(f, name) == WANTED;
}

static bool needs_class(void *filter, const struct event_class *class)
{
	const struct filter *f = filter;

	return filter_wants_name(f, class->name) && (!f->where || where_fits(f->where, class)) &&
	       (!f->needs_class || f->needs_class(f->needs_data, class));
}

void filter_limit(struct filter *f)
{
	if (filter_is_relative(f) || (filter_is_empty(f) && !f->needs_class)) {
		return; /* relative times count from the first record, whatever it is */
	}
	const struct reader_needs needs = {
		.from_ns = f->from.set ? f->from.ns : INT64_MIN,
		.to_ns = f->to.set ? f->to.ns : INT64_MAX,
		.tids = f->tids.items,
		.tid_count = f->tids.count,
		.is_part = f->is_part,
		.needs_class = needs_class,
		.data = f,
	};

	reader_limit(f->reader, &needs);
}

void filter_start(struct filter *f, struct reader *reader)
{
	f->reader = reader;
	f->started = false;
	f->verdicts.count = 0;
	if (f->where) {
		where_restart(f->where);
	}
	if (f->condition) {
		where_restart(f->condition);
	}
}

static bool has_name(struct filter *f, const struct event_class *class)
{
	while (f->verdicts.count <= class->index) {
		vec_push(&f->verdicts, UNASKED);
	}
	char *verdict = &f->verdicts.items[class->index];

	if (*verdict == UNASKED) {
		*verdict = (char)judge(f, class->name);
	}
	return *verdict == WANTED;
}

/* True if wanted threads may have lost events in the wanted time. */
static bool may_concern(struct filter *f, const struct record *gap)
{
	bool has_end = gap->from_ns < gap->ns;

	note_first(f, (int64_t)gap->ns);
	return (!f->from.set || !has_end || (int64_t)gap->ns >= absolute(f, f->from)) &&
	       (!f->to.set || (int64_t)gap->from_ns <= absolute(f, f->to)) &&
	       (gap->pid == 0 || has_id(&f->pids, gap->pid)) &&
	       (gap->tid == 0 || has_id(&f->tids, gap->tid));
}

bool filter_passes(struct filter *f, const struct record *rec)
{
	if (f->is_of_pairs && rec->kind == RECORD_GAP) {
		return may_concern(f, rec);
	}
	if (!in_window(f, (int64_t)rec->ns) || !has_id(&f->pids, rec->pid) ||
		!has_id(&f->tids, rec->tid)) {
		return false;
	}
	if (rec->kind == RECORD_GAP) {
		return true;
	}
	return (f->patterns.count == 0 || has_name(f, rec->class)) &&
	       (!f->where || where_passes(f->where, f->reader, rec)) &&
	       (!f->condition || !where_refuses(f->condition, f->reader, rec));
}

size_t filter_keep(struct filter *f, struct record *records, size_t count)
{
	bool by_name = f->pids.count + f->tids.count == 0 && !f->from.set && !f->to.set &&
		       !f->where && !f->condition;
	const struct event_class *class = NULL; /* the class that `wanted` was decided for */
	bool wanted = false;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!by_name || !class || records[i].class != class) {
			wanted = filter_passes(f, &records[i]);
			class = records[i].class;
		}
		if (wanted && kept != i) {
			records[kept] = records[i];
		}
		kept += wanted;
	}
	return kept;
}
