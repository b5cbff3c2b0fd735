/* SPDX-License-Identifier: MIT */
/*
 * The tree of frames: a span's frame is found by its parent, kind and id, and kept as the span's
 * mark until it ends. A span's tag is its name. An event that divides a span begins a part: a span
 * above it on the stack, which ends at the next such event, or with the divided span.
 *
 * Whether a span counts is known at its end, or at that of a span around it. Until then its counts
 * are held back in the list of the span around. Invariant: the spans above a selected span are
 * selected, so that its list is empty. When the end of a selected span may be lost, the span is no
 * longer selected until its end comes, because the next span may be outside.
 */
#include "analyse/stacks.h"

#include "read/where.h"

static uint32_t make_frame(struct stacks *s, const struct stack_frame *frame)
{
	vec_push(&s->frames, *frame);
	return (uint32_t)s->frames.count - 1;
}

void stacks_init(
	struct stacks *s, const struct class_table *known, const struct stacks_options *options)
{
	*s = (struct stacks){ .options = *options };
	pairs_init(&s->pairs, known);
	make_frame(s, &(struct stack_frame){ .kind = STACK_ROOT });
}

void stacks_fini(struct stacks *s)
{
	vec_fini(&s->frames);
	vec_fini(&s->verdicts);
	keys_fini(&s->children);
	held_fini(&s->held);
	pairs_fini(&s->pairs);
}

/* Finds the frame like this one; usually it is the last one found below its parent. */
static uint32_t find_or_make(struct stacks *s, const struct stack_frame *frame)
{
	const struct key key = {
		.trace = frame->trace,
		.pid = frame->parent,
		.tid = frame->kind,
		.name = frame->id,
	};
	uint32_t index = s->frames.items[frame->parent].last;
	const struct stack_frame *last = &s->frames.items[index];

	if (index && last->kind == frame->kind && last->id == frame->id &&
		last->trace == frame->trace) {
		return index;
	}
	index = keys_get(&s->children, &key);
	if (index == KEYS_NONE) {
		index = make_frame(s, frame);
		keys_swap(&s->children, &key, index);
	}
	s->frames.items[frame->parent].last = index;
	return index;
}

uint32_t stacks_child(
	struct stacks *s, uint32_t parent, enum stack_kind kind, uint32_t id, const char *name)
{
	const struct stack_frame frame = { .kind = kind, .parent = parent, .id = id, .name = name };

	return find_or_make(s, &frame);
}

/* Returns the parent of a stack's first scope: the root, a process or a thread. */
static uint32_t base_of(struct stacks *s, const struct scope_span *span)
{
	const struct stack_frame frame = {
		.kind = STACK_PROCESS,
		.id = span->key.pid,
		.trace = span->key.trace,
	};
	uint32_t process = s->options.by == STACKS_BY_NAME ? 0 : find_or_make(s, &frame);

	if (!span->is_nested) {
		return stacks_child(s, process, STACK_ASYNC, 0, NULL);
	}
	if (s->options.by != STACKS_BY_THREAD) {
		return process;
	}
	return stacks_child(s, process, STACK_THREAD, span->key.tid, NULL);
}

/* True if stacks begin at scopes of this name; calls the caller's function once for each name. */
static bool is_wanted(struct stacks *s, uint32_t name)
{
	enum { NOT_ASKED, NO, YES };
	const struct stacks_options *o = &s->options;

	if (!o->is_wanted) {
		return true;
	}
	while (s->verdicts.count <= name) {
		vec_push(&s->verdicts, NOT_ASKED);
	}
	char *verdict = &s->verdicts.items[name];

	if (*verdict == NOT_ASKED) {
		*verdict = o->is_wanted(o->data, s->pairs.names.items[name]) ? YES : NO;
	}
	return *verdict == YES;
}

/*
 * Returns the frame of a span inside `around`, which may be NULL; STACKS_NONE if it is not shown.
 */
static uint32_t frame_of(
	struct stacks *s, const struct scope_span *span, const struct scope_span *around)
{
	uint32_t parent = around ? around->mark : STACKS_NONE;

	if (parent == STACKS_NONE) {
		if ((!span->is_nested && s->options.without_async) || !is_wanted(s, span->tag)) {
			return STACKS_NONE;
		}
		parent = base_of(s, span);
	}
	return stacks_child(s, parent, STACK_SCOPE, span->tag, NULL);
}

/* True for a shown span whose end may be lost, and that has no own frame yet. */
static bool needs_own(struct stacks *s, const struct scope_span *open)
{
	return open->mark != STACKS_NONE && !s->frames.items[open->mark].is_own &&
	       pairs_is_doubtful(&s->pairs, open);
}

/* Gives the span a copy of its frame, below the frame of the span around it. */
static void give_own(struct stacks *s, struct scope_span *open)
{
	const struct scope_span *around = pairs_around(&s->pairs, open);
	struct stack_frame frame = s->frames.items[open->mark];
	bool has_own =
		around && around->mark != STACKS_NONE && s->frames.items[around->mark].is_own;

	open->mark = make_frame(s, &(struct stack_frame){
					   .kind = frame.kind,
					   .parent = has_own ? around->mark : frame.parent,
					   .id = frame.id,
					   .trace = frame.trace,
					   .name = frame.name,
					   .is_own = true,
				   });
}

/*
 * If the ends of open scopes may be lost, only later records show whether a scope that begins now
 * is inside of them. So these scopes get their own frames, the outermost first; the view skips
 * those whose end never came.
 */
static void doubt(struct stacks *s, struct scope_span *open)
{
	struct scope_span *span = open;

	while (span && needs_own(s, span)) {
		open = span;
		span = pairs_around(&s->pairs, span);
	}
	for (; open && needs_own(s, open); open = pairs_above(&s->pairs, open)) {
		give_own(s, open);
	}
}

void stacks_count(struct stacks *s, uint32_t frame, uint64_t self_ns)
{
	if (frame != STACKS_NONE && !s->is_before) {
		s->frames.items[frame].self_ns += self_ns;
		s->frames.items[frame].count++;
	}
}

/* ---- Selected spans ---- */

/* True if the span counts when its end is known. */
static bool will_count(const struct scope_span *span)
{
	return span->is_chosen || span->is_inside;
}

/*
 * Notes at its begin whether a span is selected. It is not known to be inside of spans whose ends
 * may be lost; these are the outermost ones.
 */
static inline void begin_selected(
	struct stacks *s, struct scope_span *span, struct scope_span *around)
{
	struct scope_span *open = s->gaps > 0 ? around : NULL;

	while (open && open->is_selected && pairs_is_doubtful(&s->pairs, open)) {
		open->is_selected = false;
		open = pairs_around(&s->pairs, open);
	}
	span->is_chosen = s->passes;
	span->is_inside = around && around->is_selected;
	span->is_selected = will_count(span);
}

/* Counts what a span holds back: nothing, without an expression. */
static inline void count_held(struct stacks *s, struct scope_span *span)
{
	struct held_count held;

	while (span->held != HELD_NONE && held_take(&s->held, &span->held, &held)) {
		s->frames.items[held.frame].self_ns += held.self_ns;
		s->frames.items[held.frame].count += held.count;
	}
}

/* Selects a span and those above it. */
static void select_spans(struct stacks *s, struct scope_span *span)
{
	count_held(s, span);
	for (; span && !span->is_selected; span = pairs_above(&s->pairs, span)) {
		span->is_inside = span->is_selected = true;
		count_held(s, span);
	}
}

/* Hands the held counts of a span that has left the stack on to the span around, if any. */
static void hand_on(struct stacks *s, struct scope_span *span, struct scope_span *around)
{
	struct held_count dropped;

	if (around) {
		held_move(&s->held, &span->held, &around->held);
	}
	while (held_take(&s->held, &span->held, &dropped)) {
	}
}

/* Counts a span that has left the stack now, or if a span around is selected by its end. */
static inline void count_span(
	struct stacks *s, struct scope_span *span, struct scope_span *around, uint32_t frame)
{
	if (frame != STACKS_NONE) {
		s->frames.items[frame].has_end = true;
	}
	if (span->is_selected) {
		stacks_count(s, frame, span->self_ns);
		return;
	}
	hand_on(s, span, around);
	if (around && frame != STACKS_NONE) {
		held_add(&s->held, &around->held, &(struct held_count){ frame, span->self_ns, 1 });
	}
}

/* Takes the held counts of spans that have left the stack with the last span, which was around. */
static void take_left(struct stacks *s)
{
	vec_foreach (const uint32_t *, index, &s->pairs.left) {
		hand_on(s, &s->pairs.spans.items[*index], &s->pairs.span);
	}
}

/* ---- Scopes ---- */

/* A scope that another thread ended is shown outside of all other scopes. */
static void count_elsewhere(struct stacks *s, struct scope_span *span, struct scope_span *around)
{
	hand_on(s, span, around);
	if (span->is_chosen) {
		s->elsewhere++;
		stacks_count(s, frame_of(s, span, NULL), span->self_ns);
	}
}

static void end_scope(struct stacks *s)
{
	struct scope_span *span = &s->pairs.span;
	struct scope_span *around = pairs_around(&s->pairs, span);

	take_left(s);
	span->is_chosen |= s->passes;
	if (will_count(span)) {
		select_spans(s, span);
	}
	if (span->place == PAIRS_STACKED && !span->is_nested) {
		count_elsewhere(s, span, around);
	} else {
		count_span(s, span, around, span->mark);
	}
}

/* Gives a span that has begun its frame. */
static void begin_scope(struct stacks *s)
{
	struct scope_span *span = pairs_begun(&s->pairs);
	struct scope_span *around = pairs_around(&s->pairs, span);

	if (around) {
		doubt(s, around);
	}
	span->mark = frame_of(s, span, around);
	begin_selected(s, span, around);
}

/* Drops the last span without a count, and keeps the counts of the spans in it. */
static void drop_scope(struct stacks *s)
{
	take_left(s);
	hand_on(s, &s->pairs.span, pairs_around(&s->pairs, &s->pairs.span));
}

/* Applies a record's effect on the scopes. */
static void apply(struct stacks *s, enum pairs_result result)
{
	switch (result) {
	case PAIRS_BEGUN_TWICE:
		s->unpaired.begun_twice += will_count(&s->pairs.span);
		drop_scope(s);
		begin_scope(s);
		break;
	case PAIRS_BEGUN:
		begin_scope(s);
		break;
	case PAIRS_ENDED:
		end_scope(s);
		break;
	case PAIRS_UNBEGUN:
		s->unpaired.unbegun += s->passes;
		break;
	case PAIRS_UNBEGUN_LOST:
		s->unpaired.begin_lost += s->passes;
		break;
	case PAIRS_NOTHING:
		break;
	}
}

/* ---- From one event to another ---- */

/* Ends the last part of an open span; `is_counted`: else its time is the span's again. */
static void end_part(struct stacks *s, struct scope_span *open, uint64_t ns, bool is_counted)
{
	uint32_t index = open->part;

	open->part = PAIRS_NONE;
	if (index == PAIRS_NONE) {
		return;
	}
	struct scope_span part = s->pairs.spans.items[index];

	if (!is_counted) {
		hand_on(s, &part, open);
		pairs_cancel(&s->pairs, index, ns);
		return;
	}
	part.self_ns = pairs_leave(&s->pairs, index, ns);
	count_span(s, &part, open, part.mark);
}

static enum pairs_result end_span(struct stacks *s, const struct record *rec, const struct key *key)
{
	struct scope_span *open = pairs_find(&s->pairs, key);
	/* The end of this span, and the begin of another one, may be among lost events. */
	bool is_doubtful = open && pairs_is_doubtful(&s->pairs, open);

	if (open) {
		end_part(s, open, rec->ns, !is_doubtful);
	}
	enum pairs_result result = pairs_end(&s->pairs, rec, key);

	if (is_doubtful) {
		s->unpaired.end_lost += will_count(&s->pairs.span);
		s->unpaired.begin_lost += s->passes;
		drop_scope(s);
		return PAIRS_NOTHING;
	}
	apply(s, result);
	return result;
}

static enum pairs_result begin_span(struct stacks *s, const struct record *rec,
	const struct value *values, const struct key *key)
{
	struct scope_span *open = pairs_find(&s->pairs, key);

	bool is_doubtful = open && pairs_is_doubtful(&s->pairs, open);

	if (open) {
		end_part(s, open, rec->ns, false);
	}
	uint32_t name = event_spans_name(s->options.events, &s->pairs, rec, values);
	enum pairs_result result = pairs_begin(&s->pairs, rec, key, PAIRS_STACKED, name);

	apply(s, result);
	if (is_doubtful && will_count(&s->pairs.span)) {
		s->unpaired.begun_twice--;
		s->unpaired.end_lost++;
	}
	return result;
}

/* Ends the last part of the thread's open span and begins the next one; the first has all time. */
static void divide(struct stacks *s, const struct record *rec, const struct value *values,
	const struct key *key)
{
	struct scope_span *open = pairs_find(&s->pairs, key);
	const struct scope_span *top = open ? pairs_top(&s->pairs, open->thread) : NULL;
	bool is_first = open && open->part == PAIRS_NONE;

	if (!open || pairs_is_doubtful(&s->pairs, open) ||
		top != (is_first ? open : &s->pairs.spans.items[open->part])) {
		return; /* it is outside, may be outside, or is in a scope */
	}
	uint32_t name = event_spans_name(s->options.events, &s->pairs, rec, values);
	uint32_t frame = open->mark == STACKS_NONE
				 ? STACKS_NONE
				 : stacks_child(s, open->mark, STACK_SCOPE, name, NULL);

	end_part(s, open, rec->ns, true);
	uint32_t part = pairs_enter(&s->pairs, open->thread, frame, rec->ns);

	open = pairs_find(&s->pairs, key);
	open->part = part;
	begin_selected(s, &s->pairs.spans.items[part], open);
	if (is_first) {
		s->pairs.spans.items[part].self_ns = open->self_ns;
		open->self_ns = 0;
	}
}

static enum pairs_result add_event(
	struct stacks *s, const struct record *rec, const struct value *values)
{
	unsigned int sides = event_spans_sides(s->options.events, rec->class);
	const struct key key = {
		.trace = rec->trace, .pid = rec->pid, .tid = rec->tid, .name = PAIRS_NONE
	};
	enum pairs_result result = PAIRS_NOTHING;

	if (sides && rec->tid == 0) {
		s->options.events->lacks_threads = true;
		return PAIRS_NOTHING;
	}
	if (sides & 1u << EVENT_TO) {
		result = end_span(s, rec, &key);
	}
	if (sides & 1u << EVENT_FROM) {
		result = begin_span(s, rec, values, &key);
	} else if (sides == 1u << EVENT_INSIDE) {
		divide(s, rec, values, &key);
	}
	return result;
}

/* ---- Records ---- */

enum pairs_result stacks_add(struct stacks *s, const struct record *rec, const struct value *values)
{
	enum pairs_result result = pairs_add(&s->pairs, rec, values);
	enum pairs_result other = PAIRS_NOTHING;

	s->gaps += rec->kind == RECORD_GAP;
	s->passes = !s->options.where ||
		    (rec->kind == RECORD_EVENT &&
			    where_passes(s->options.where, s->options.reader, rec));
	apply(s, result);
	if (s->options.events && rec->kind == RECORD_EVENT) {
		other = add_event(s, rec, values);
	}
	return other == PAIRS_NOTHING ? result : other;
}

void stacks_resume(
	struct stacks *s, const struct key *key, const struct event_class *class, uint64_t begin_ns)
{
	s->passes = true;
	apply(s, pairs_resume(&s->pairs, key, class, begin_ns));
}

static void add_unfinished(void *data, const struct scope_span *span)
{
	struct stacks *s = data;

	*(span->is_lost ? &s->unpaired.end_lost : &s->unpaired.unfinished) += will_count(span);
	if (!s->options.with_unfinished || span->is_lost) {
		return;
	}
	struct scope_span open = *span;

	open.self_ns = span->is_nested ? span->self_ns : s->last_ns - span->begin_ns;
	count_span(s, &open, NULL, open.mark);
	if (span->part != PAIRS_NONE) {
		open = s->pairs.spans.items[span->part];
		count_span(s, &open, NULL, open.mark);
	}
}

void stacks_end(struct stacks *s)
{
	pairs_pass(&s->pairs, s->last_ns);
	pairs_unfinished(&s->pairs, add_unfinished, s);
	vec_foreach (struct stack_frame *, f, &s->frames) {
		f->events = f->count;
	}
	for (size_t i = s->frames.count - 1; i > 0; i--) {
		s->frames.items[s->frames.items[i].parent].events += s->frames.items[i].events;
	}
}
