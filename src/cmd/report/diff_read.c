/* SPDX-License-Identifier: MIT */
/*
 * Reads one trace of `waymark diff`, twice if losses are recorded late: its events in slices of
 * time, its scopes, declared lives or the pairs of --from and --to, and the stacks of the flame
 * graph. Only numbers and names outlive the reader.
 */
#include "analyse/latency.h"
#include "analyse/life/lives.h"
#include "analyse/scopes.h"
#include "analyse/stacks.h"
#include "cmd/report/diff.h"
#include "cmd/selection.h"
#include "read/where.h"
#include "view/message/message.h"

/* What is made of the records of one trace. */
struct one {
	struct diff *diff;
	enum change_side side;
	struct slices slices;
	struct scopes scopes;
	bool has_lives;
	struct lives_options lives_options;
	struct lives lives;
	struct report lives_report;
	bool has_pairs;
	struct latency latency;
	struct stacks stacks;
	struct losses losses;
};

/* Counts a life from its begin event to its end event. */
static void on_end(void *one, const struct life *life)
{
	struct one *o = one;
	const struct life_kind *kind = &o->lives.kinds.kinds.items[life->key.name];
	bool is_new;

	if (life->outcome != LIFE_ENDED || life->is_doubtful || !kind->has_begin ||
		!kind->has_end) {
		return;
	}
	struct report_row *row =
		report_row(&o->lives_report, &(struct key){ .name = life->key.name }, &is_new);

	row->name = kind->name;
	report_add(row, life->end_ns - life->begin_ns);
}

static bool has_declared_life(const struct lives *l)
{
	vec_foreach (const struct life_kind *, kind, &l->kinds.kinds) {
		if (kind->has_begin && kind->has_end) {
			return true;
		}
	}
	return false;
}

static void init(struct one *o, struct diff *d, enum change_side side)
{
	struct session *s = &d->session;

	*o = (struct one){ .diff = d, .side = side, .has_pairs = d->pairs.latency.by_count > 0 };
	scopes_init(&o->scopes, s->reader, SCOPES_BY_NAME);
	o->scopes.report.has_batches = true;
	o->scopes.where = s->where;
	o->lives_options = (struct lives_options){
		.rules.filter = &s->filter,
		.where = s->where,
		.text = message_value_text,
		.max_open = d->pairs.latency.max_open,
		.ended = on_end,
		.data = o,
	};
	lives_init(&o->lives, &o->lives_options, s->reader);
	lives_check(&o->lives);
	o->lives_report.has_batches = true;
	o->has_lives = !o->has_pairs && has_declared_life(&o->lives);
	if (o->has_pairs) {
		pair_options_use_keys(&d->pairs, s);
	}
	latency_init(&o->latency, &d->pairs.latency, s->reader);
	o->latency.report.has_batches = true;
	const struct stacks_options stacks = {
		.by = STACKS_BY_NAME,
		.where = s->where,
		.reader = s->reader,
	};

	stacks_init(&o->stacks, &s->reader->classes, &stacks);
}

static void fini(struct one *o)
{
	slices_fini(&o->slices);
	scopes_fini(&o->scopes);
	lives_fini(&o->lives);
	report_fini(&o->lives_report);
	latency_fini(&o->latency);
	stacks_fini(&o->stacks);
}

static void add_to_latency(struct one *o, const struct record *rec)
{
	struct latency *l = &o->latency;
	bool is_wanted = !*l->error && latency_wants(l, rec);

	if (!*l->error && (is_wanted || rec->kind == RECORD_GAP)) {
		latency_add(l, rec,
			is_wanted && rec->class->event ? reader_values(o->diff->session.reader, rec)
						       : NULL);
	}
}

static void add_to_stacks(struct one *o, const struct record *rec)
{
	bool is_wanted = stacks_wants(&o->stacks, rec);

	stacks_see(&o->stacks, rec->ns);
	if (is_wanted || rec->kind == RECORD_GAP) {
		stacks_add(&o->stacks, rec,
			is_wanted ? reader_values(o->diff->session.reader, rec) : NULL);
	}
}

static void add(struct one *o, const struct record *rec)
{
	struct session *s = &o->diff->session;

	if (rec->kind == RECORD_GAP) {
		losses_add(&o->losses, &rec->gap);
	} else {
		slices_see(&o->slices, rec->ns);
		if (!s->where || where_passes(s->where, s->reader, rec)) {
			slices_add(&o->slices, rec);
		}
	}
	scopes_add(&o->scopes, rec);
	if (o->has_lives) {
		lives_add(&o->lives, rec);
	}
	if (o->has_pairs) {
		add_to_latency(o, rec);
	}
	if (o->diff->flamegraph) {
		add_to_stacks(o, rec);
	}
}

/* Takes the durations of a report's rows. */
static void take_rows(struct one *o, struct report *r, enum change_kind kind)
{
	struct changes *c = &o->diff->changes;

	vec_foreach (struct report_row *, row, &r->rows) {
		struct change named = { .kind = kind, .name = row->name, .to = row->to };

		if (!row->lengths) {
			continue;
		}
		/* Without scopes inside, both are the same. */
		bool has_inside = row->self_ns != row->lengths->sum;

		changes_add_durations(c, o->side, &named, row->batches);
		if (kind == CHANGE_SCOPE && has_inside) {
			named.kind = CHANGE_SELF;
			changes_add_durations(c, o->side, &named, row->selves);
		}
		o->diff->pairs_found += kind == CHANGE_LATENCY ? row->lengths->count : 0;
	}
}

/* Reports why pairs are wrong or missing, as a problem. */
static void check(struct one *o)
{
	struct session *s = &o->diff->session;
	const char *error = o->has_pairs ? o->latency.error : o->has_lives ? o->lives.error : "";

	if (*error) {
		session_say(s, "%s", error);
		s->problems++;
	}
}

static void take(struct one *o, const char *path)
{
	struct diff *d = o->diff;

	changes_add_events(&d->changes, o->side, &o->slices);
	take_rows(o, &o->scopes.report, CHANGE_SCOPE);
	take_rows(o, &o->lives_report, CHANGE_LIFE);
	take_rows(o, &o->latency.report, CHANGE_LATENCY);
	if (d->flamegraph) {
		stacks_end(&o->stacks);
		stacks_draw(&o->stacks, d->session.reader, &d->flames);
	}
	const struct diff_run run = {
		.path = path,
		.side = o->side,
		.events = o->slices.events,
		.losses = o->losses,
		.seconds = d->changes.seconds[o->side].items[d->changes.seconds[o->side].count - 1],
	};

	vec_push(&d->runs, run);
}

static void read_all(struct one *o)
{
	struct record records[SESSION_FEW];
	size_t count;

	while ((count = selection_next_few(&o->diff->session, records))) {
		for (size_t i = 0; i < count; i++) {
			add(o, &records[i]);
		}
	}
	lives_end(&o->lives);
}

static struct gaps *gaps_of(struct one *o)
{
	return o->has_pairs ? &o->latency.gaps : &o->lives.gaps;
}

/* Reads the trace from its start, with all gaps known; false if that is impossible. */
static bool read_again(struct one *o, size_t index)
{
	struct diff *d = o->diff;
	enum change_side side = o->side;
	struct gaps gaps = gaps_take(gaps_of(o));

	fini(o);
	if (!session_turn_to(&d->session, index)) {
		gaps_fini(&gaps);
		return false;
	}
	init(o, d, side);
	*gaps_of(o) = gaps;
	read_all(o);
	return true;
}

bool diff_read(struct diff *d, size_t index, enum change_side side)
{
	struct session *s = &d->session;
	struct one one;

	if (!session_turn_to(s, index)) {
		return false;
	}
	init(&one, d, side);
	read_all(&one);
	if (gaps_of(&one)->is_late && session_may_turn_again(s, index)) {
		if (!read_again(&one, index)) {
			return false;
		}
	} else if (gaps_of(&one)->is_late) {
		session_say(s,
			"it cannot be read twice: pairs and lives that ended while events were lost "
			"count if the loss was recorded later");
	}
	check(&one);
	bool has_events = one.slices.events > 0;

	if (has_events) {
		take(&one, d->all.items[index]);
	} else {
		session_say(s, "no event of it is selected: there is nothing to compare");
		s->problems++;
	}
	fini(&one);
	return has_events;
}
