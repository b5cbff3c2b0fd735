/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
extern bool message_with_timestamp;
void error_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
void warn_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
