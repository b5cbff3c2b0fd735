/* SPDX-License-Identifier: MIT */
/*
 * riscv: a machine of one to four RISC-V harts, traced. What is made here stays
 * until the harts have ended; it goes in the opposite order.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/devices.h"
#include "loader/elf.h"
#include "machine/machine.h"
#include "options.h"
#include "trace/control.h"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "riscv: %s: %s\n", what, why);
	return 1;
}

/* Returns a descriptor, or -1 after saying why not. */
static int open_file(const char *path, int flags, uint64_t *bytes)
{
	int fd = open(path, flags | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		fail(path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		fail(path, "not a regular file");
	} else {
		*bytes = st.st_size;
		return fd;
	}
	if (fd >= 0) {
		close(fd);
	}
	return -1;
}

static bool load_mapped(struct machine *machine, const char *path, const void *file, uint64_t bytes,
	uint64_t *entry)
{
	struct elf_error error;

	if (!elf_load(file, bytes, &machine->ram, entry, &error)) {
		fail(path, error.text);
		return false;
	}
	return true;
}

static bool load_program(struct machine *machine, const char *path, uint64_t *entry)
{
	uint64_t bytes;
	int fd = open_file(path, O_RDONLY, &bytes);

	if (fd < 0) {
		return false;
	}
	void *file = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	bool mapped = file != MAP_FAILED;

	if (!mapped) {
		fail(path, bytes == 0 ? "the file is empty" : strerror(errno));
	}
	close(fd);
	if (!mapped) {
		return false;
	}
	bool loaded = load_mapped(machine, path, file, bytes, entry);

	munmap(file, bytes);
	return loaded;
}

static int run(struct machine *machine, const struct options *options)
{
	uint64_t entry;

	if (!load_program(machine, options->program, &entry)) {
		return 1;
	}
	int status = machine_run(machine, entry);

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

static int run_with_disk(struct machine *machine, const struct options *options)
{
	uint64_t bytes;

	if (!options->disk) {
		return run(machine, options);
	}
	int fd = open_file(options->disk, options->write ? O_RDWR : O_RDONLY, &bytes);

	if (fd < 0) {
		return 1;
	}
	struct disk *disk = disk_create(machine, fd, bytes);
	int status = disk ? run(machine, options) : fail("the disk's thread", strerror(errno));

	if (disk && options->count) {
		fprintf(stderr, "disk: %" PRIu64 " requests\n", disk_requests(disk));
	}
	disk_destroy(disk);
	close(fd);
	return status;
}

static int run_with_devices(struct machine *machine, const struct options *options)
{
	struct clint *clint = clint_create(machine);

	if (!clint) {
		return fail("the timer's thread", strerror(errno));
	}
	exit_add(machine);
	console_add(machine);
	int status = run_with_disk(machine, options);

	clint_destroy(clint);
	return status;
}

/* Code is dumped as long as the machine lives. */
static int run_with_dump(struct machine *machine, const struct options *options)
{
	FILE *dump = fopen(options->dump, "we");

	if (!dump) {
		return fail(options->dump, strerror(errno));
	}
	machine_dump(machine, dump);
	int status = run_with_devices(machine, options);

	machine_dump(machine, NULL);
	return fclose(dump) ? fail(options->dump, strerror(errno)) : status;
}

/* Hosts that nobody translates for have the interpreter. */
static int run_translated(struct machine *machine, const struct options *options)
{
	bool translated = !options->interpret && machine_translate(machine);

	if (!options->interpret && !translated && errno != ENOTSUP) {
		return fail("memory for code (--interpret needs none)", strerror(errno));
	}
	if (options->dump && !translated) {
		return fail(options->dump, "there is no code to dump: all is interpreted");
	}
	return options->dump ? run_with_dump(machine, options) : run_with_devices(machine, options);
}

int main(int argc, char **argv)
{
	static struct machine machine;
	struct options options;

	options_parse(&options, argc, argv);
	if (!trace_init_backends()) {
		return fail("tracing", "cannot be initialised");
	}
	trace_init_file();
	int error = machine_init(&machine, options.harts, options.memory << 20);

	if (error) {
		return fail("memory", strerror(error));
	}
	int status = run_translated(&machine, &options);

	machine_fini(&machine);
	return status;
}
