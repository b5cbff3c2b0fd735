/* SPDX-License-Identifier: MIT */
/*
 * A table of descriptors that is the calling thread's alone: the program's
 * closefrom() cannot reach what is in it, and it holds nothing of the program's
 * open, so that who waits for the end of a pipe sees it.
 */
#ifndef RT_HOST_DESCRIPTORS_H
#define RT_HOST_DESCRIPTORS_H

#include <stdbool.h>

/* A sanitizer reports on standard error, from whichever thread finds something. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define KEEPS_STDERR true
#else
#define KEEPS_STDERR false
#endif

/*
 * Gives the calling thread one in which only `low` and `high` are left; -1: nothing.
 * Returns 0, or -1: that is refused, and the table is as it was.
 */
int waymark_own_descriptors(int low, int high);

#endif
