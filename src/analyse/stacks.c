/* SPDX-License-Identifier: MIT */
/*
 * The tree of frames: a span's frame is found by its parent, kind and id, and kept as the span's
 * mark until it ends. A span's tag is its name. An event that divides a span begins a part: a span
 * above it on the stack, which ends at the next such event, or with the divided span.
 */
#include "analyse/stacks.h"

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
	if (frame != STACKS_NONE) {
		s->frames.items[frame].self_ns += self_ns;
		s->frames.items[frame].count++;
	}
}

/* Gives a span that has begun its frame, and counts one that has ended. */
static void apply(struct stacks *s, enum pairs_result result)
{
	s->unpaired.begun_twice += result == PAIRS_BEGUN_TWICE;
	s->unpaired.unbegun += result == PAIRS_UNBEGUN;
	s->unpaired.begin_lost += result == PAIRS_UNBEGUN_LOST;
	if (result == PAIRS_BEGUN || result == PAIRS_BEGUN_TWICE) {
		struct scope_span *span = pairs_begun(&s->pairs);
		struct scope_span *around = pairs_around(&s->pairs, span);

		if (around) {
			doubt(s, around);
		}
		span->mark = frame_of(s, span, around);
	} else if (result == PAIRS_ENDED) {
		const struct scope_span *span = &s->pairs.span;
		uint32_t frame = span->mark;

		/* A scope that another thread ended is shown outside of all other scopes. */
		if (span->place == PAIRS_STACKED && !span->is_nested) {
			s->elsewhere++;
			frame = frame_of(s, span, NULL);
		}
		stacks_count(s, frame, span->self_ns);
	}
}

/* ---- From one event to another ---- */

/* Ends the last part of an open span; `is_counted`: else its time is the span's again. */
static void end_part(struct stacks *s, struct scope_span *open, uint64_t ns, bool is_counted)
{
	uint32_t part = open->part;

	open->part = PAIRS_NONE;
	if (part == PAIRS_NONE) {
		return;
	}
	if (!is_counted) {
		pairs_cancel(&s->pairs, part, ns);
		return;
	}
	uint32_t frame = s->pairs.spans.items[part].mark;

	stacks_count(s, frame, pairs_leave(&s->pairs, part, ns));
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
		s->unpaired.end_lost++;
		s->unpaired.begin_lost++;
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
	if (is_doubtful) {
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
	apply(s, result);
	if (s->options.events && rec->kind == RECORD_EVENT) {
		other = add_event(s, rec, values);
	}
	return other == PAIRS_NOTHING ? result : other;
}

static void add_unfinished(void *data, const struct scope_span *span)
{
	struct stacks *s = data;

	*(span->is_lost ? &s->unpaired.end_lost : &s->unpaired.unfinished) += 1;
	if (s->options.with_unfinished && !span->is_lost) {
		stacks_count(s, span->mark,
			span->is_nested ? span->self_ns : s->last_ns - span->begin_ns);
		if (span->part != PAIRS_NONE) {
			const struct scope_span *part = &s->pairs.spans.items[span->part];

			stacks_count(s, part->mark, part->self_ns);
		}
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
