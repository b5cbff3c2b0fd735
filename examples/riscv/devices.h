/* SPDX-License-Identifier: MIT */
/* The addresses of the devices and the meaning of their registers. The guest also includes this. */
#ifndef RISCV_DEVICES_H
#define RISCV_DEVICES_H

#include <stdint.h>

/* A register of 4 bytes: a store stops the machine, and the value is its exit status. */
#define EXIT_BASE UINT64_C(0x00100000)

/*
 * The core-local interruptor. Each hart has a word, where 1 raises its software interrupt, and a
 * doubleword, the time from which its timer interrupt is pending.
 */
#define CLINT_BASE UINT64_C(0x02000000)
#define CLINT_SOFTWARE 0x0
#define CLINT_COMPARE 0x4000
#define CLINT_TIME 0xbff8 /* ticks of 100 ns; read only */
#define CLINT_BYTES 0xc000

/* A 16550 UART on standard input and output, without interrupts. */
#define CONSOLE_BASE UINT64_C(0x10000000)
#define CONSOLE_DATA 0
#define CONSOLE_LINE_STATUS 5
#define CONSOLE_INPUT 0x01 /* line status: there is a byte to read */
#define CONSOLE_ROOM 0x60 /* line status: a byte can be written; always set */
#define CONSOLE_BYTES 8

#endif
