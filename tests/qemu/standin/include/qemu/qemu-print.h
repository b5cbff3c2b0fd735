/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
int qemu_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
