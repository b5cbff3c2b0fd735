/* SPDX-License-Identifier: MIT */
/*
 * Measures how fast the machine of examples/riscv runs a program: compiled with its
 * events, and with the backend nop. The guest's console is `input` and standard error.
 *
 * guest program=ELF input=FILE harts=N on=none|all|HART path=DIRECTORY
 *	options=TEXT rounds=N skip=BYTES
 *
 * `on` selects the harts with guest_block_exec on, `rounds` the rounds of loop.elf, `skip`
 * the bytes at the program's begin that are not executed: loop.elf begins with an
 * instruction that sends all harts but the first to sleep.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>
#include <waymark/vcpu.h>

#include "harness.h"
#include "loader.h"
#include "machine.h"
#include "trace-riscv.h"

_Static_assert(TRACE_GUEST_BLOCK_EXEC_ENABLED == GUEST_EVENTS, "the header of the other machine");

#define EVENT "guest_block_exec"

static struct machine machine;

static uint64_t load(const char *path)
{
	static char file[1 << 20];
	struct elf_error error;
	uint64_t entry;
	FILE *program = fopen(path, "re");

	if (!program) {
		bench_fail("program=%s: %s", path, strerror(errno));
	}
	size_t bytes = fread(file, 1, sizeof(file), program);

	fclose(program);
	if (!elf_load(file, bytes, &machine, &entry, &error)) {
		bench_fail("program=%s: %s", path, error.text);
	}
	return entry;
}

/* loop.elf has its number of rounds in its second and third instructions, lui t0 and addi t0. */
static void set_rounds(uint64_t entry, uint32_t rounds)
{
	unsigned char *at = machine_ram(&machine, entry + 4, 8);
	uint32_t code[2];

	memcpy(code, at, sizeof(code));
	if ((code[0] & 0xfff) != 0x2b7 || (code[1] & 0xffff7) != 0x28293) {
		bench_fail("rounds=%u: for loop.elf only", rounds);
	}
	code[0] = ((rounds + 0x800) & 0xfffff000) | (code[0] & 0xfff);
	code[1] = rounds << 20 | (code[1] & 0xfffff);
	memcpy(at, code, sizeof(code));
}

static void prepare(void)
{
	int error = machine_init(&machine, (unsigned int)bench_number("harts", 1), 16 << 20);

	if (error) {
		bench_fail("memory: %s", strerror(error));
	}
	const char *input = bench_text("input", "");

	if (*input && !freopen(input, "re", stdin)) {
		bench_fail("input=%s: %s", input, strerror(errno));
	}
}

static void switch_on(void)
{
	const char *who = bench_text("on", "none");
	struct waymark_error error;
	char text[1024];

	if (strcmp(who, "none") == 0) {
		return;
	}
	snprintf(text, sizeof(text), "file=%s,%s", bench_text("path", "bench.trace"),
		bench_text("options", "full=block"));
	int failed = waymark_configure(text, &error);

	if (!failed && strcmp(who, "all") == 0) {
		failed = waymark_enable(EVENT, WAYMARK_ANY_BACKEND, NULL, &error);
	} else if (!failed) {
		failed = waymark_vcpu_set_states(
			(unsigned int)bench_number("on", 0), EVENT, true, &error);
	}
	if (failed) {
		bench_fail("%s: %s", text, error.text);
	}
}

/* All in nanoseconds. */
struct duration {
	double wall;
	double cpu; /* of all threads */
};

static struct duration run(uint64_t entry)
{
	double begin = bench_now(), cpu = bench_process_cpu();
	int status = machine_run(&machine, entry);
	struct duration took = { bench_now() - begin, bench_process_cpu() - cpu };

	if (status) {
		bench_fail("the guest ends with status %d", status);
	}
	return took;
}

/* The guest's output must not mix with the results. */
static struct duration run_apart(uint64_t entry)
{
	int results = dup(STDOUT_FILENO);

	dup2(STDERR_FILENO, STDOUT_FILENO);
	struct duration took = run(entry);

	fflush(stdout);
	dup2(results, STDOUT_FILENO);
	close(results);
	return took;
}

static void print_speed(struct duration took)
{
	double instructions = (double)machine.harts[0].retired;

	bench_result("instructions", instructions);
	bench_result("million_per_s", instructions / took.wall * 1e3);
	if (machine.hart_count > 1) {
		bench_result(
			"other_million_per_s", (double)machine.harts[1].retired / took.wall * 1e3);
	} else {
		bench_result("million_per_cpu_s", instructions / took.cpu * 1e3);
	}
}

/* Includes the time until all events are in their file. */
static void print_events(double begin)
{
	struct waymark_stats stats;
	struct waymark_error error;

	if (waymark_flush(&error)) {
		bench_fail("not everything was written: %s", error.text);
	}
	double took = bench_now() - begin;

	waymark_get_stats(&stats);
	bench_result("events", (double)stats.recorded);
	bench_result("lost", (double)(stats.lost + stats.unwritten));
	bench_result("million_events_per_s", (double)stats.recorded / took * 1e3);
}

int main(int argc, char **argv)
{
	bench_init(argc, argv);
	prepare();

	uint64_t entry = load(bench_text("program", ""));

	if (bench_number("rounds", 0) > 0) {
		set_rounds(entry, (uint32_t)bench_number("rounds", 0));
	}
	switch_on();
	double begin = bench_now();

	print_speed(run_apart(entry + bench_number("skip", 0)));
	if (strcmp(bench_text("on", "none"), "none") != 0) {
		print_events(begin);
	}
	machine_fini(&machine);
	return EXIT_SUCCESS;
}
