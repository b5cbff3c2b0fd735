/* SPDX-License-Identifier: MIT */
/*
 * A table of descriptors that is the calling thread's alone: the program's
 * closefrom() cannot reach what is in it, and it holds nothing of the program's open.
 */
#ifndef MON_TABLE_H
#define MON_TABLE_H

/* Makes one in which only `low` and `high` are left; -1: nothing. Returns 0, or -1: refused. */
int table_make_own(int low, int high);

/* Closes what was left, and covers the places of the standard streams. */
void table_settle(int low, int high);

#endif
