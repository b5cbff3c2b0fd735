/* SPDX-License-Identifier: MIT */
/*
 * Memory that a fork's child finds zeroed, however it was made (MADV_WIPEONFORK): what a
 * process must not share with its parent lies there, and all zero is its valid beginning.
 *
 * Kernels before 4.14 refuse that, and qemu-user up to 8.0 takes it and does nothing. There
 * the mappings are noted, and the C library's fork wipes them. Children by other ways (a plain
 * clone(2)) are then taken for those of a vfork, and must not record: under qemu-user they store
 * into their parent's buffer, and where the kernel keeps that from them into no memory at all.
 */
#ifndef RT_RECORD_WIPED_H
#define RT_RECORD_WIPED_H

#include <stdbool.h>
#include <stddef.h>

/* Maps zeroed memory; NULL on failure. Any thread, any signal handler. */
void *waymark_wiped_map(size_t bytes);

/* Undoes it; nobody uses it any more. */
void waymark_wiped_unmap(void *p, size_t bytes);

/*
 * In a fork's child, first of all: zeroes what the kernel has not. Returns whether the kernel
 * takes advice and follows none; then what was to be the parent's alone (MADV_DONTFORK) is mapped
 * here, too. Elsewhere nothing is at its addresses, or what the child itself has mapped there.
 */
bool waymark_wiped_renew(void);

#endif
