/* SPDX-License-Identifier: MIT */
/*
 * Merges the kernel's events into the stacks of a trace, by time and thread. Events are read ahead
 * by KERNEL_SLACK_NS, to find ends that rounding has moved after a record.
 */
#include "analyse/kernel.h"

#include <string.h>

void kernel_init(struct kernel *k, struct stacks *stacks, const struct kernel_text *text)
{
	*k = (struct kernel){ .stacks = stacks, .text = *text };
}

void kernel_fini(struct kernel *k)
{
	texts_fini(&k->names);
	vec_fini(&k->threads);
	vec_fini(&k->ahead);
	keys_fini(&k->by_tid);
}

static struct kernel_thread *thread_of(struct kernel *k, uint32_t tid)
{
	uint32_t index = keys_get(&k->by_tid, &(struct key){ .tid = tid });

	return index == KEYS_NONE ? NULL : &k->threads.items[index];
}

/* Reads one event ahead; returns false at the end of the capture. */
static bool read_next(struct kernel *k)
{
	struct kernel_event event;

	k->is_read = k->is_read || !kernel_text_next(&k->text, &event);
	if (k->is_read) {
		return false;
	}
	/* Lines of several processors may be out of order; times never go backwards. */
	k->first_ns = k->first_ns || event.edge == KERNEL_LOST ? k->first_ns : event.ns;
	event.ns = event.ns > k->last_ns ? event.ns : k->last_ns;
	k->last_ns = event.ns;
	if (event.edge != KERNEL_NOTHING && event.edge != KERNEL_WAKE) {
		vec_push(&k->ahead, event);
	}
	return true;
}

/* Pushes a span on its thread's stack if a scope is open there. */
static void open_span(struct kernel *k, struct kernel_thread *t, struct kernel_span span)
{
	const struct scope_span *top = pairs_top(&k->stacks->pairs, t->thread);

	span.span = PAIRS_NONE;
	if (top) {
		uint32_t frame = top->mark;

		if (frame != STACKS_NONE) {
			frame = stacks_child(k->stacks, frame, STACK_KERNEL, span.name,
				k->names.items[span.name]);
		}
		span.span = pairs_enter(&k->stacks->pairs, t->thread, frame, span.begin_ns);
	}
	t->spans[t->depth++] = span;
}

/* Removes the innermost span as if it had not happened. */
static void cancel(struct kernel *k, struct kernel_thread *t, uint64_t ns)
{
	const struct kernel_span *span = &t->spans[--t->depth];

	if (span->span != PAIRS_NONE) {
		pairs_cancel(&k->stacks->pairs, span->span, ns);
	}
}

static void cancel_unended(struct kernel *k, struct kernel_thread *t, uint64_t ns)
{
	k->unended += t->spans[t->depth - 1].span != PAIRS_NONE;
	cancel(k, t, ns);
}

static void finish(struct kernel *k, struct kernel_thread *t, uint64_t ns)
{
	const struct kernel_span *span = &t->spans[--t->depth];

	if (span->span == PAIRS_NONE) {
		return;
	}
	uint32_t frame = k->stacks->pairs.spans.items[span->span].mark;
	stacks_count(k->stacks, frame, pairs_leave(&k->stacks->pairs, span->span, ns));
	k->within++;
}

static bool is_open(const struct kernel_thread *t, enum kernel_kind kind)
{
	bool found = false;

	for (uint32_t i = 0; i < t->depth; i++) {
		found |= t->spans[i].kind == kind;
	}
	return found;
}

/* Ends the span of that kind. Open spans inside of it have lost their ends. */
static void end_kind(struct kernel *k, struct kernel_thread *t, enum kernel_kind kind, uint64_t ns)
{
	if (!is_open(t, kind)) {
		return;
	}
	while (t->spans[t->depth - 1].kind != kind) {
		cancel_unended(k, t, ns);
	}
	finish(k, t, ns);
}

/* True for a system call that both raw_syscalls and syscalls report. */
static bool is_reported_twice(const struct kernel_thread *t, const struct kernel_span *span)
{
	const struct kernel_span *last = t->depth ? &t->spans[t->depth - 1] : NULL;

	return last && span->kind == KERNEL_SYSCALL && last->kind == span->kind &&
	       span->begin_ns - last->begin_ns <= KERNEL_SLACK_NS;
}

static void begin_kind(struct kernel *k, struct kernel_thread *t, const struct kernel_event *e)
{
	struct kernel_span span = {
		.begin_ns = e->ns,
		.losses = k->losses,
		.name = texts_number(&k->names, e->name, strlen(e->name)),
		.kind = e->kind,
	};

	if (is_reported_twice(t, &span)) {
		return;
	}
	while (is_open(t, e->kind)) {
		cancel_unended(k, t, e->ns);
	}
	open_span(k, t, span);
}

static void take(struct kernel *k, const struct kernel_event *e)
{
	bool is_begin = e->edge == KERNEL_BEGIN || e->edge == KERNEL_SWITCH;
	bool is_end = e->edge == KERNEL_END || e->edge == KERNEL_SWITCH;
	struct kernel_thread *begins = is_begin ? thread_of(k, e->tid) : NULL;
	struct kernel_thread *ends =
		is_end ? thread_of(k, e->edge == KERNEL_SWITCH ? e->next : e->tid) : NULL;

	k->losses += e->edge == KERNEL_LOST;
	if (begins) {
		begin_kind(k, begins, e);
	}
	if (ends) {
		end_kind(k, ends, e->kind, e->ns);
	}
}

static void take_until(struct kernel *k, uint64_t ns)
{
	while (k->taken < k->ahead.count && k->ahead.items[k->taken].ns <= ns) {
		take(k, &k->ahead.items[k->taken++]);
	}
	size_t left = k->ahead.count - k->taken;

	/*
	 * Removes used events only if they are at least half of all, so that there are never more
	 * moves than events.
	 */
	if (k->taken > 0 && k->taken >= left) {
		memmove(k->ahead.items, k->ahead.items + k->taken,
			left * sizeof(k->ahead.items[0]));
		k->ahead.count = left;
		k->taken = 0;
	}
}

/* True if the event ends an open span of the thread. */
static bool is_end_of(const struct kernel_event *e, const struct kernel_thread *t)
{
	bool is_its = (e->edge == KERNEL_END && e->tid == t->owner.tid) ||
		      (e->edge == KERNEL_SWITCH && e->next == t->owner.tid);

	return is_its && is_open(t, e->kind);
}

/* Applies ends that rounding has moved after the record at `ns`. */
static void take_late_ends(struct kernel *k, struct kernel_thread *t, uint64_t ns)
{
	for (size_t i = k->taken; i < k->ahead.count && t->depth > 0; i++) {
		struct kernel_event *e = &k->ahead.items[i];

		if (e->ns > ns + KERNEL_SLACK_NS) {
			break;
		}
		if (is_end_of(e, t)) {
			end_kind(k, t, e->kind, ns);
			/* A switch also begins a span for the thread that leaves the processor. */
			e->edge = e->edge == KERNEL_SWITCH ? KERNEL_BEGIN : KERNEL_NOTHING;
		}
	}
}

/* Returns the time from `ns` to the end of the outermost span; UINT64_MAX if it is too far. */
static uint64_t late_by(const struct kernel *k, const struct kernel_thread *t, uint64_t ns)
{
	for (size_t i = k->taken; i < k->ahead.count; i++) {
		const struct kernel_event *e = &k->ahead.items[i];

		if (e->ns > ns + KERNEL_SLACK_NS) {
			break;
		}
		if (is_end_of(e, t) && e->kind == t->spans[0].kind) {
			return e->ns - ns;
		}
	}
	return UINT64_MAX;
}

/* Closes all kernel spans of the thread, which records at `ns`. */
static void clear(struct kernel *k, struct kernel_thread *t, uint64_t ns)
{
	k->records++;
	if (t->depth == 0) {
		return;
	}
	uint64_t early = ns - t->spans[0].begin_ns;
	uint64_t late = late_by(k, t, ns);

	if (late <= early) {
		take_late_ends(k, t, ns);
	} else if (early <= KERNEL_SLACK_NS) {
		/* The spans begin after the record: begin_delayed() opens them again. */
		k->delayed_count = t->depth;
		memcpy(k->delayed, t->spans, sizeof(k->delayed));
		while (t->depth > 0) {
			cancel(k, t, ns);
		}
	}
	while (t->depth > 0) {
		bool is_lost = t->spans[t->depth - 1].losses != k->losses;

		k->unended += is_lost;
		k->at_odds += !is_lost;
		cancel(k, t, ns);
	}
}

/* Begins the spans that clear() delayed. */
static void begin_delayed(struct kernel *k, uint32_t tid, uint64_t ns)
{
	struct kernel_thread *t = thread_of(k, tid);

	for (uint32_t i = 0; i < k->delayed_count; i++) {
		k->delayed[i].begin_ns = ns;
		open_span(k, t, k->delayed[i]);
	}
	k->delayed_count = 0;
}

static bool is_same_owner(const struct key *a, const struct key *b)
{
	return a->trace == b->trace && a->pid == b->pid;
}

/*
 * Notes which trace and process has scopes on a thread, as the kernel identifies threads by tid
 * only.
 */
static void set_owner(struct kernel *k)
{
	const struct scope_span *span = pairs_begun(&k->stacks->pairs);
	struct kernel_thread *t = thread_of(k, span->key.tid);

	if (!span->is_nested) {
		return;
	}
	if (!t) {
		keys_swap(&k->by_tid, &(struct key){ .tid = span->key.tid },
			(uint32_t)k->threads.count);
		vec_push(&k->threads,
			((struct kernel_thread){ .owner = span->key, .thread = span->thread }));
	} else if (!is_same_owner(&t->owner, &span->key)) {
		bool is_busy = pairs_top(&k->stacks->pairs, t->thread) != NULL;

		k->shared += is_busy;
		if (!is_busy) {
			t->owner = span->key;
			t->thread = span->thread;
			t->depth = 0;
		}
	}
}

void kernel_add(struct kernel *k, const struct record *rec, const struct value *values)
{
	while (k->last_ns <= rec->ns + KERNEL_SLACK_NS && read_next(k)) {
		take_until(k, rec->ns);
	}
	take_until(k, rec->ns);

	const struct key key = { .trace = rec->trace, .pid = rec->pid };
	struct kernel_thread *t = rec->kind == RECORD_EVENT ? thread_of(k, rec->tid) : NULL;
	bool is_its = t && is_same_owner(&t->owner, &key);

	if (is_its) {
		clear(k, t, rec->ns);
	}
	enum pairs_result result = stacks_add(k->stacks, rec, values);

	if (result == PAIRS_BEGUN || result == PAIRS_BEGUN_TWICE) {
		set_owner(k);
	}
	begin_delayed(k, rec->tid, rec->ns);
}

void kernel_end(struct kernel *k)
{
	while (read_next(k)) {
		take_until(k, k->last_ns);
	}
	take_until(k, k->last_ns);
	vec_foreach (struct kernel_thread *, t, &k->threads) {
		while (t->depth > 0) {
			cancel_unended(k, t, k->last_ns);
		}
	}
}
