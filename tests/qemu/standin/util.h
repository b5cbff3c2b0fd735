/* SPDX-License-Identifier: MIT */
/* Sends log lines to this file, as -D does. */
void open_log(const char *name);
