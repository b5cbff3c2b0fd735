/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
bool qemu_log_separate(void);
void qemu_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
