/* SPDX-License-Identifier: MIT */
/*
 * The devices, where they are, and what their registers mean. All are added to a
 * machine before it runs; guest/machine.h has the same for the guest.
 */
#ifndef RISCV_DEVICE_DEVICES_H
#define RISCV_DEVICE_DEVICES_H

#include <stdint.h>

struct machine;

#define EXIT_BASE UINT64_C(0x00100000)
#define CLINT_BASE UINT64_C(0x02000000)
#define CONSOLE_BASE UINT64_C(0x10000000)
#define DISK_BASE UINT64_C(0x10001000)

/* One register: a store ends the machine with that status, 0 to 255. */
void exit_add(struct machine *machine);

/* A 16550 on standard input and output, without interrupts. */
void console_add(struct machine *machine);

/*
 * Software and timer interrupts: a word for each hart from 0, 1 in it raises its
 * software interrupt; from 0x4000 a doubleword for each hart, the time from which
 * on its timer interrupt is pending; at 0xbff8 the time. A thread watches the
 * time. Returns NULL with errno.
 */
struct clint *clint_create(struct machine *machine);
void clint_destroy(struct clint *clint); /* no hart may run */

/*
 * A file as a disk. A request is a structure in memory, whose address the guest
 * stores into DISK_SUBMIT; a thread works on one after the other, writes its
 * status when it is done, and has hart 0 take an external interrupt where
 * DISK_INTERRUPTS allows. A store is refused, which is a fault, where no request
 * can be at that address, or DISK_ROOM says that there is room for none.
 */
enum disk_register {
	DISK_BYTES = 0x00, /* of the file; read only */
	DISK_SUBMIT = 0x08, /* write only */
	DISK_ROOM = 0x10, /* for how many requests more; read only */
	DISK_DONE = 0x18, /* how many were completed since this was last stored to */
	DISK_INTERRUPTS = 0x20, /* 1: interrupt while DISK_DONE is not 0 */
	DISK_REGISTERS = 0x28, /* where they end */
};

enum disk_operation { DISK_READ, DISK_WRITE };
enum disk_status { DISK_PENDING, DISK_OK, DISK_FAILED, DISK_REFUSED };

#define DISK_SECTOR 512
#define DISK_QUEUE 16

/*
 * As it is in the guest's memory, at a multiple of 8.
 * Sectors may end behind the file's last byte.
 */
struct disk_request {
	uint32_t operation;
	uint32_t status;
	uint64_t sector;
	uint64_t buffer;
	uint32_t sectors;
	uint32_t zero;
};

/* The file stays the caller's. Returns NULL with errno. */
struct disk *disk_create(struct machine *machine, int fd, uint64_t bytes);
uint64_t disk_requests(const struct disk *disk); /* submitted until now; no hart may run */
void disk_destroy(struct disk *disk); /* waits for what is under way; no hart may run */

#endif
