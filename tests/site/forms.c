/* SPDX-License-Identifier: MIT */
/*
 * Trace points of C in every form and place, of every type. All compilers must produce the records
 * of forms.expected.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WAYMARK_SHORT_NAMES
#include "forms.h"

/* Macros that must not be expanded in names and texts. */
#define Net wrong
#define value wrong
#define ONE 1

enum color { RED, GREEN };
struct request {
	unsigned bits : 3;
	signed narrow : 4;
	const char *name;
	int numbers[2];
};

int other(int x);

int other(int x)
{
	return outer(x);
}

static int calls;

static int called(void)
{
	return ++calls;
}

static inline void put_request(struct waymark_formatter *f, const void *object)
{
	const struct request *r = (const struct request *)object;
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Request");
	waymark_debug_field(&g, "name", waymark_debug(r->name));
	waymark_debug_end(&g);
}

static void run_types(void)
{
	struct request r = { 5, -2, "read", { 1, 2 } };
	const struct request *const p = &r;
	const volatile short number = -3;
	enum color green = GREEN;
	char letters[] = "letters";
	const char *none = NULL;
	_Bool truth = 1;

	TRACE_INSTANT(Net, "integers", (signed char)-1, (unsigned char)255, number,
		(unsigned short)1, -1, 1u, -1L, 1ul, -1LL, 1ull, green, truth, 'a', errno);
	TRACE_INSTANT(Net, "others", 0.5f, 1.5, 2.5L, letters, "literal", none, (char)'c', p->name,
		waymark_debug(3), (waymark_u128)1, (waymark_i128)-1);
	TRACE_INSTANT(Net, "bits", (unsigned)r.bits, (int)p->narrow);
	TRACE_INSTANT(Net, "object", waymark_debug_object(put_request, &r));
	TRACE_INSTANT(Net, "null", (void *)NULL, (const char *)NULL);
	TRACE_INSTANT(Out, "addresses", p, r.numbers, &r, run_types, stdin, called(), NULL);
}

static void run_texts(int a)
{
	TRACE_INSTANT(Net, "commas", inner(a), ((void)a, 2), strchr("a,b", ','), "\"(", ')', '\'');
	TRACE_INSTANT(Net, "more {braces} and \"quotes\", (brackets) [of] all kinds: %d", a, "{}",
		((int[]){ 1, 2 })[0]);
	TRACE_INSTANT(Net, "lines",
		a + /* a comment, too */
			1, // another
		ONE);
	TRACE_INSTANT(Net,
		"two"
		" literals",
		NULL == 0, ONE ? a : 2, a == 1 && a != 2);
	TRACE_INSTANT(errno, "category", a);
}

static void run_counts(int a)
{
	TRACE_INSTANT(Net, "none");
	TRACE_INSTANT(Net, "most", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, a);
	TRACE_SCOPE(Net, "scope of none");
	TRACE_SCOPE(Net, "scope of most", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, a);
}

static int leave(int way)
{
	int i = 0;

	for (;;) {
		/* clang-format off */
		WAYMARK_SCOPE(Net, "loop", i); WAYMARK_SCOPE(Net, "of one line"); TRACE_INSTANT(Net, "a"); TRACE_INSTANT(Net, "b");
		/* clang-format on */
		if (i++ == 0) {
			continue;
		}
		if (way == 0) {
			break;
		}
		if (way == 1) {
			return 1;
		}
		goto out;
	}
	switch (way) {
	case 0:
		WAYMARK_INSTANT(Net, "behind case");
		break;
	default: {
		WAYMARK_SCOPE(Net, "never");
	}
	}
out:
	WAYMARK_INSTANT(Net, "behind a label");
	return way;
}

static void run_places(int a)
{
	for (int i = 0; i < 2; i++)
		WAYMARK_INSTANT(Net, "for", i);
	if (a == 1)
		WAYMARK_COUNTER(Net, "if", a);
	else
		WAYMARK_PRINT("else");
	for (int way = 0; way < 3; way++) {
		leave(way);
	}
}

static void run_forms(void)
{
	struct waymark_scope flow = WAYMARK_FLOW(Net, "flow", 1, "two");
	struct waymark_scope short_one = TRACE_FLOW(Net, "short flow");
	struct waymark_scope out = TRACE_FLOW(Out, "out", called());

	WAYMARK_FLOW_STEP(Net, &flow, "step");
	TRACE_FLOW_STEP(Net, &short_one, "short step", 2);
	WAYMARK_FLOW_STEP(Out, &out, "out", called());
	waymark_scope_end(&flow);
	waymark_scope_end(&short_one);
	waymark_scope_end(&out);
	TRACE_COUNTER(Net, "in flight", 5);
	TRACE_PRINT("printed %d", 1);
	TRACE_PRINT_IN(Net, "printed %s", "in a category");
	TRACE_PRINT_IN(Out, "printed %d", called());
	TRACE_COUNTER(Out, "out", called());
	TRACE_SCOPE(Out, "out", called());
}

int main(void)
{
	run_types();
	run_texts(1);
	run_counts(16);
	run_places(1);
	run_forms();
	other(1);
	fprintf(stderr, "calls: %d\n", calls);
	return 0;
}
