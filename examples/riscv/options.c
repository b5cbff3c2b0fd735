/* SPDX-License-Identifier: MIT */
/* The options, a case each. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/machine.h"
#include "trace/control.h"

static void print_help(const char *program)
{
	printf("Usage: %s [OPTION]... PROGRAM\n"
	       "Runs PROGRAM, an ELF file for RV64IMA in machine mode. Exits with its status;\n"
	       "with %d where a hart traps and there is no handler.\n\n"
	       "  -H, --harts=N\t\tharts, 1 to %d (1)\n"
	       "  -m, --memory=N\tMiB of memory, 1 to 2048 (16)\n"
	       "  -d, --disk=FILE\tthe block device\n"
	       "  -w, --write\t\tthe guest may change FILE\n"
	       "  -i, --interpret\tdo not translate to code of the host\n"
	       "  -D, --dump-code=FILE\twrite each translation: the guest's address, its bytes\n"
	       "  -c, --count\t\tat the end, tell each hart's instructions, the disk's requests\n"
	       "  -T, --trace=[enable=]PATTERN[,events=FILE][,file=FILE]\n"
	       "\t\t\ttrace events; `--trace help` lists them\n"
	       "  -h, --help\t\tprint this\n",
		program, MACHINE_LOST, MACHINE_HARTS);
}

static uint64_t number(const char *name, const char *text, uint64_t most)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);

	if (errno || end == text || *end || *text == '-' || value < 1 || value > most) {
		fprintf(stderr, "riscv: --%s=%s: a number from 1 to %" PRIu64 " is wanted\n", name,
			text, most);
		exit(2);
	}
	return value;
}

static void set_option(struct options *options, int letter, const char *program)
{
	switch (letter) {
	case 'H':
		options->harts = number("harts", optarg, MACHINE_HARTS);
		break;
	case 'm':
		options->memory = number("memory", optarg, 2048);
		break;
	case 'd':
		options->disk = optarg;
		break;
	case 'w':
		options->write = true;
		break;
	case 'i':
		options->interpret = true;
		break;
	case 'D':
		options->dump = optarg;
		break;
	case 'c':
		options->count = true;
		break;
	case 'T':
		trace_opt_parse(optarg);
		break;
	case 'h':
		print_help(program);
		exit(0);
	default:
		fprintf(stderr, "riscv: `%s --help` lists the options\n", program);
		exit(2);
	}
}

void options_parse(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "harts", required_argument, NULL, 'H' },
		{ "memory", required_argument, NULL, 'm' },
		{ "disk", required_argument, NULL, 'd' },
		{ "write", no_argument, NULL, 'w' },
		{ "interpret", no_argument, NULL, 'i' },
		{ "dump-code", required_argument, NULL, 'D' },
		{ "count", no_argument, NULL, 'c' },
		{ "trace", required_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int letter;

	*options = (struct options){ .harts = 1, .memory = 16 };
	/* long_only: `-trace`, with one dash, is how QEMU's users know it. */
	while ((letter = getopt_long_only(argc, argv, "H:m:d:wiD:cT:h", longs, NULL)) != -1) {
		set_option(options, letter, argv[0]);
	}
	if (optind != argc - 1) {
		fprintf(stderr, "riscv: %s; `%s --help` lists the options\n",
			optind < argc ? "one PROGRAM only" : "a PROGRAM is missing", argv[0]);
		exit(2);
	}
	options->program = argv[optind];
}
