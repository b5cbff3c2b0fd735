/* SPDX-License-Identifier: MIT */
/* What guest programs have in place of a libc. */
#ifndef GUEST_RUNTIME_H
#define GUEST_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "machine.h"

int main(void);

/* What other harts than 0 do; unless a program has it, they sleep. */
void hart_main(unsigned int hart);

/* Traps and interrupts; unless a program has it, the end. Returns where to go on. */
uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value);

void machine_exit(int status) __attribute__((noreturn));

void print(const char *text);
void print_number(uint64_t number);
void print_hex(uint64_t number, unsigned int digits);

/* Hands a request to the disk, which reads it now and writes its status later. */
void disk_submit(struct disk_request *request);
uint32_t disk_status(const struct disk_request *request);

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int byte, size_t bytes);

#endif
