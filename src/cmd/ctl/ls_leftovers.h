/* SPDX-License-Identifier: MIT */
/* The part of `waymark ls` that is about processes which have ended. */
#ifndef CMD_CTL_LS_LEFTOVERS_H
#define CMD_CTL_LS_LEFTOVERS_H

#include <stdbool.h>

/*
 * Prints what memory ended processes of this user left, for root of all users: a table, or a
 * JSON object a line; nothing where there is none.
 */
void ls_leftovers(bool json, bool is_behind_another);

#endif
