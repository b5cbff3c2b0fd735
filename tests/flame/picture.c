/* SPDX-License-Identifier: MIT */
/*
 * Writes flame graphs for the other tests of this folder: picture
 * small|compared|names|deep|many|empty|most
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stacks.h"

#define ADD(g, ns, count, ...)                               \
	add_stack((g), (const char *const[]){ __VA_ARGS__ }, \
		sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (ns), (count))

static void small(struct flamegraph *g)
{
	ADD(g, 100000, 2, "main", "read", "decode");
	ADD(g, 300000, 4, "main", "read");
	ADD(g, 500000, 1, "main");
	ADD(g, 1, 1, "main", "too thin", "below it");
	ADD(g, 50000, 1, "main", "write");
	ADD(g, 49999, 1, "main", "write");
	ADD(g, 250000, 10, "main", "fs:decode (a*b)");
	ADD(g, 250000, 3, "idle");
}

/* Frames with about the same, more, much less and no time as before. */
static void compared(struct flamegraph *g)
{
	small(g);
	flamegraph_compare(g);
	small(g);
	ADD(g, 400000, 1, "main", "write", "flush");
	ADD(g, 900000, 1, "main", "read");
}

static void names(struct flamegraph *g)
{
	static char line[10001];
	static char bytes[256];

	memset(line, 'x', sizeof(line) - 1);
	for (int i = 1; i < 256; i++) {
		bytes[i - 1] = (char)i;
	}
	ADD(g, 1000, 1, line, line);
	ADD(g, 1000, 1, bytes);
	ADD(g, 1000, 1, "<script>alert(1)</script>", "]]>", "<!-- & -->");
	ADD(g, 1000, 1, "\"quoted\" 'twice' &amp; &#0;", "");
	ADD(g, 1000, 1, "κόσμε 日本語のとても長い名前は切られる \xf0\x9f\x8e\x89");
	ADD(g, 1000, 1,
		"\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80\xe2\x80\xae\xc2\x85");
}

static void deep(struct flamegraph *g)
{
	static const char *stack[20000];
	size_t n = sizeof(stack) / sizeof(stack[0]);

	for (size_t i = 0; i < n; i++) {
		stack[i] = i % 2 ? "odd" : "even";
	}
	add_stack(g, stack, n, 1000, 1);
}

/* A million different stacks, most of them too thin to be visible. */
static void many(struct flamegraph *g)
{
	for (unsigned int i = 0; i < 1000000; i++) {
		char texts[5][32];
		unsigned int mixed = i * 2654435761u;

		snprintf(texts[0], sizeof(texts[0]), "device %u", i % 7);
		snprintf(texts[1], sizeof(texts[1]), "queue %u", mixed % 13);
		snprintf(texts[2], sizeof(texts[2]), "request %u", i % 1000);
		snprintf(texts[3], sizeof(texts[3]), "step %u", mixed >> 20);
		snprintf(texts[4], sizeof(texts[4]), "leaf %u", i);
		ADD(g, mixed % 100000, 1, texts[0], texts[1], texts[2], texts[3], texts[4]);
	}
}

static void empty(struct flamegraph *g)
{
	ADD(g, 0, 1, "main");
}

static void most(struct flamegraph *g)
{
	ADD(g, UINT64_MAX, UINT64_MAX, "a");
	ADD(g, UINT64_MAX, UINT64_MAX, "a");
	ADD(g, UINT64_MAX - 1, 1, "b");
}

static const struct {
	const char *name;
	void (*fill)(struct flamegraph *g);
} pictures[] = {
	{ "small", small },
	{ "compared", compared },
	{ "names", names },
	{ "deep", deep },
	{ "many", many },
	{ "empty", empty },
	{ "most", most },
};

static void draw(void (*fill)(struct flamegraph *g))
{
	struct flamegraph g;
	struct out out;

	flamegraph_init(&g);
	out_init(&out, STDOUT_FILENO);
	fill(&g);
	struct flame_counts counts = flamegraph_put(&g, &out, "a <picture> & its \"title\"");

	fprintf(stderr, "%" PRIu64 " frames, %" PRIu64 " left out\n", counts.frames,
		counts.left_out);
	if (out_flush(&out) != 0) {
		exit(1);
	}
	out_fini(&out);
	flamegraph_fini(&g);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		if (strcmp(pictures[i].name, argv[1]) == 0) {
			draw(pictures[i].fill);
			return 0;
		}
	}
	return 2;
}
