/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
void error_setg(Error **errp, const char *format, ...) __attribute__((format(printf, 2, 3)));
void error_report_err(Error *err);
