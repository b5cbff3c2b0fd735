/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
void error_report(const char *format, ...);
void warn_report(const char *format, ...);
