/* SPDX-License-Identifier: MIT */
/* Signals as a user names them. */
#ifndef RT_OPTION_SIGNAL_NAME_H
#define RT_OPTION_SIGNAL_NAME_H

/*
 * The number of `USR2`, `SIGUSR2` or `12`. 0 where there is no such signal, or
 * none that a handler may answer by going on: faults, SIGABRT, SIGKILL, SIGSTOP.
 */
int waymark_signal_named(const char *name);

#endif
