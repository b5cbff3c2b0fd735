/* SPDX-License-Identifier: MIT */
/*
 * Writes the disk, which has a megabyte at least, reads it again, and asks for
 * what cannot be: all by polling. What is not as it should be is printed.
 */
#include "runtime.h"

#define SECTORS 16
#define BYTES (SECTORS * DISK_SECTOR)

static uint8_t written[BYTES], read[BYTES];
static struct disk_request requests[2] __attribute__((aligned(8)));
static volatile uint64_t faults;

/* Stores that the disk refuses. */
uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value)
{
	(void)value;
	if (cause != CAUSE_STORE_FAULT) {
		machine_exit(2);
	}
	faults++;
	return pc + 4;
}

static struct disk_request make(uint32_t operation, void *buffer, uint64_t sector)
{
	return (struct disk_request){ .operation = operation,
		.sector = sector,
		.buffer = (uintptr_t)buffer,
		.sectors = SECTORS };
}

static uint32_t run(struct disk_request wanted)
{
	requests[0] = wanted;
	disk_submit(&requests[0]);
	while (disk_status(&requests[0]) == DISK_PENDING) {
	}
	return disk_status(&requests[0]);
}

static int check(const char *what, int good)
{
	if (!good) {
		print("wrong: ");
		print(what);
		print("\n");
	}
	return !good;
}

static int same(void)
{
	for (unsigned int i = 0; i < BYTES; i++) {
		if (written[i] != read[i]) {
			return 0;
		}
	}
	return 1;
}

static int check_round_trip(uint64_t sector)
{
	for (unsigned int i = 0; i < BYTES; i++) {
		written[i] = i * 7 + (i >> 8) + sector;
	}
	return check("a write", run(make(DISK_WRITE, written, sector)) == DISK_OK) |
	       check("a read", run(make(DISK_READ, read, sector)) == DISK_OK) |
	       check("what is read", same());
}

static int check_refusals(void)
{
	uint64_t end = REGISTER64(DISK_BASE + DISK_BYTES) / DISK_SECTOR;
	void *nowhere = (void *)16;

	return check("behind the end", run(make(DISK_READ, read, end)) == DISK_REFUSED) |
	       check("over the end", run(make(DISK_READ, read, end - 1)) == DISK_REFUSED) |
	       check("far away", run(make(DISK_READ, read, -1)) == DISK_REFUSED) |
	       check("no memory", run(make(DISK_READ, nowhere, 0)) == DISK_REFUSED) |
	       check("no operation", run(make(7, read, 0)) == DISK_REFUSED);
}

static int check_faults(void)
{
	REGISTER64(DISK_BASE + DISK_SUBMIT) = 16; /* no memory */
	REGISTER64(DISK_BASE + DISK_SUBMIT) = (uintptr_t)requests + 4; /* not aligned */
	REGISTER64(DISK_BASE + DISK_BYTES) = 0; /* read only */
	REGISTER32(DISK_BASE + DISK_SUBMIT) = 0; /* half of it */
	return check("stores that are faults", faults == 4);
}

int main(void)
{
	int wrong =
		check_round_trip(0) | check_round_trip(1000) | check_refusals() | check_faults();

	print(wrong ? "the disk does not work\n" : "the disk works\n");
	return wrong;
}
