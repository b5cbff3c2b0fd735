/* SPDX-License-Identifier: MIT */
/* The subcommands of `waymark`: each has the form of a main(). */
#ifndef CMD_WAYMARK_H
#define CMD_WAYMARK_H

#include <stdbool.h>

/* The exit status of a command line that makes no sense. */
#define WAYMARK_USAGE 2

int waymark_print(int argc, char **argv);
int waymark_info(int argc, char **argv);
int waymark_latency(int argc, char **argv);
int waymark_scopes(int argc, char **argv);
int waymark_flamegraph(int argc, char **argv);
int waymark_convert(int argc, char **argv);
int waymark_recover(int argc, char **argv);
int waymark_drain(int argc, char **argv);
int waymark_ls(int argc, char **argv);
int waymark_ctl(int argc, char **argv);
int waymark_attach(int argc, char **argv);
int waymark_record(int argc, char **argv);

/* A part of it: lists what processes left, as a table or with tabs; returns the exit status. */
int waymark_recover_list(bool for_people);

#endif
