/* SPDX-License-Identifier: MIT */
/*
 * The single-step flag of x86-64: between the two macros the processor raises SIGTRAP after each
 * instruction. They are macros because a call would add its own instructions.
 */
#ifndef TESTS_COMMON_STEP_H
#define TESTS_COMMON_STEP_H

#define BEGIN_STEPS() __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "cc", "memory")
#define END_STEPS() __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "cc", "memory")

#endif
