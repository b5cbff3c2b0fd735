/* SPDX-License-Identifier: MIT */
/* riscv: runs a RISC-V program on a machine of one to four harts, traced. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader.h"
#include "machine.h"
#include "trace/control.h"

#define RAM_BYTES (16 << 20)

struct options {
	const char *program;
	unsigned long harts;
	bool count;
};

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "riscv: %s: %s\n", what, why);
	return 1;
}

static void print_help(const char *name)
{
	printf("Usage: %s [OPTION]... PROGRAM\n"
	       "Runs PROGRAM, an ELF file for RV64IM in machine mode, and exits with its status;\n"
	       "with %d if a hart traps and has no handler.\n\n"
	       "  -H, --harts=N\t\tharts, 1 to %d (1)\n"
	       "  -c, --count\t\tat the end, print each hart's instructions\n"
	       "  -T, --trace=[enable=]PATTERN[,events=FILE][,file=FILE]\n"
	       "\t\t\ttrace events; `--trace help` lists them\n"
	       "  -h, --help\t\tprint this\n",
		name, MACHINE_LOST, MACHINE_HARTS);
}

static void parse_options(struct options *options, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "harts", required_argument, NULL, 'H' },
		{ "count", no_argument, NULL, 'c' },
		{ "trace", required_argument, NULL, 'T' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int letter;
	char *end;

	*options = (struct options){ .harts = 1 };
	/* long_only: QEMU's users write `-trace`, with one dash. */
	while ((letter = getopt_long_only(argc, argv, "H:cT:h", longs, NULL)) != -1) {
		switch (letter) {
		case 'H':
			options->harts = strtoul(optarg, &end, 10);
			if (*end || options->harts < 1 || options->harts > MACHINE_HARTS) {
				fprintf(stderr,
					"riscv: --harts=%s: a number from 1 to %d is wanted\n",
					optarg, MACHINE_HARTS);
				exit(2);
			}
			break;
		case 'c':
			options->count = true;
			break;
		case 'T':
			trace_opt_parse(optarg);
			break;
		case 'h':
			print_help(argv[0]);
			exit(0);
		default:
			fprintf(stderr, "riscv: `%s --help` lists the options\n", argv[0]);
			exit(2);
		}
	}
	if (optind != argc - 1) {
		fprintf(stderr, "riscv: %s; `%s --help` lists the options\n",
			optind < argc ? "one PROGRAM only" : "a PROGRAM is missing", argv[0]);
		exit(2);
	}
	options->program = argv[optind];
}

/* Returns 0; on failure prints the reason and returns the exit status. */
static int load_program(struct machine *machine, const char *path, uint64_t *entry)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_error error;
	struct stat st;
	int status = 0;

	if (fd < 0 || fstat(fd, &st)) {
		status = fail(path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		status = fail(path, st.st_size ? "not a regular file" : "the file is empty");
	} else {
		void *file = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		if (file == MAP_FAILED) {
			status = fail(path, strerror(errno));
		} else if (!elf_load(file, st.st_size, machine, entry, &error)) {
			status = fail(path, error.text);
		}
		if (file != MAP_FAILED) {
			munmap(file, st.st_size);
		}
	}
	if (fd >= 0) {
		close(fd);
	}
	return status;
}

static int run(struct machine *machine, const struct options *options)
{
	uint64_t entry;
	int status = load_program(machine, options->program, &entry);

	if (status) {
		return status;
	}
	status = machine_run(machine, entry);
	fflush(stdout);
	if (status < 0) {
		return fail("the harts' threads", strerror(errno));
	}
	for (unsigned int i = 0; options->count && i < machine->hart_count; i++) {
		fprintf(stderr, "hart %u: %" PRIu64 " instructions\n", i,
			machine->harts[i].retired);
	}
	return status;
}

int main(int argc, char **argv)
{
	static struct machine machine;
	struct options options;

	parse_options(&options, argc, argv);
	if (!trace_init_backends()) {
		return fail("tracing", "cannot be initialised");
	}
	trace_init_file();
	int error = machine_init(&machine, options.harts, RAM_BYTES);

	if (error) {
		return fail("memory", strerror(error));
	}
	int status = run(&machine, &options);

	machine_fini(&machine);
	return status;
}
