/* SPDX-License-Identifier: MIT */
/* The subcommands of `waymark`, from the table in commands.def. Each has the form of a main(). */
#ifndef CMD_WAYMARK_H
#define CMD_WAYMARK_H

/* Exit status for a bad command line. */
#define WAYMARK_USAGE 2

#define WAYMARK_COMMAND(name, help) int waymark_##name(int argc, char **argv);
#include "cmd/commands.def"
#undef WAYMARK_COMMAND

#endif
