/* SPDX-License-Identifier: MIT */
/* Parses the options. One table contains the numeric options, their limits and their help. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "trace/control.h"

struct number {
	char letter;
	const char *name;
	size_t offset;
	uint64_t initial;
	uint64_t least;
	uint64_t most;
	const char *help;
};

static const struct number numbers[] = {
	{ 'b', "block-size", offsetof(struct options, block_bytes), 4096, 8, 1 << 24,
		"bytes of a block" },
	{ 's', "slots", offsetof(struct options, cache_blocks), 64, 1, 1 << 16,
		"blocks that the cache holds" },
	{ 't', "threads", offsetof(struct options, threads), 4, 1, 256, "worker threads" },
	{ 'n', "requests", offsetof(struct options, requests), 1000, 1, 1000000000,
		"requests of each thread" },
	{ 'w', "write", offsetof(struct options, write_percent), 0, 0, 100,
		"percent of the requests that change their block" },
	{ 'r', "seed", offsetof(struct options, seed), 1, 0, UINT32_MAX,
		"where the random numbers start" },
};

#define NUMBERS (sizeof(numbers) / sizeof(numbers[0]))

static uint64_t *field(struct options *options, const struct number *number)
{
	return (uint64_t *)((char *)options + number->offset);
}

static void print_help(const char *program)
{
	printf("Usage: %s [OPTION]... FILE\n"
	       "Reads blocks of FILE through a cache and checks that they are right.\n"
	       "With --write, FILE is changed.\n\n",
		program);
	for (size_t i = 0; i < NUMBERS; i++) {
		const struct number *n = &numbers[i];

		printf("  -%c, --%s=N\t%s (%" PRIu64 ")\n", n->letter, n->name, n->help,
			n->initial);
	}
	printf("  -T, --trace=[enable=]PATTERN[,events=FILE][,file=FILE]\n"
	       "\t\t\ttrace events; `--trace help` lists them\n"
	       "  -d, --device\t\tuse FILE by a process of its own, in a jail\n"
	       "  -h, --help\t\tprint this\n");
}

static void set_number(struct options *options, const struct number *number, const char *text)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);

	if (errno || end == text || *end || *text == '-' || value < number->least ||
		value > number->most) {
		fprintf(stderr,
			"blockcache: --%s=%s: a number from %" PRIu64 " to %" PRIu64 " is wanted\n",
			number->name, text, number->least, number->most);
		exit(2);
	}
	*field(options, number) = value;
}

static void set_option(struct options *options, int letter, const char *program)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		if (numbers[i].letter == letter) {
			set_number(options, &numbers[i], optarg);
			return;
		}
	}
	if (letter == 'T') {
		trace_opt_parse(optarg);
	} else if (letter == 'd') {
		options->device = true;
	} else if (letter == 'h') {
		print_help(program);
		exit(0);
	} else {
		fprintf(stderr, "blockcache: `%s --help` lists the options\n", program);
		exit(2);
	}
}

void options_parse(struct options *options, int argc, char **argv)
{
	struct option longs[NUMBERS + 4] = {
		[NUMBERS] = { "trace", required_argument, NULL, 'T' },
		[NUMBERS + 1] = { "device", no_argument, NULL, 'd' },
		[NUMBERS + 2] = { "help", no_argument, NULL, 'h' },
	};
	int letter;

	for (size_t i = 0; i < NUMBERS; i++) {
		longs[i] = (struct option){ numbers[i].name, required_argument, NULL,
			numbers[i].letter };
		*field(options, &numbers[i]) = numbers[i].initial;
	}
	/* long_only: QEMU's users write `-trace`, with one dash. */
	while ((letter = getopt_long_only(argc, argv, "b:s:t:n:w:r:T:dh", longs, NULL)) != -1) {
		set_option(options, letter, argv[0]);
	}
	if (optind != argc - 1) {
		fprintf(stderr, "blockcache: %s; `%s --help` lists the options\n",
			optind < argc ? "one FILE only" : "a FILE is missing", argv[0]);
		exit(2);
	}
	options->path = argv[optind];
}
