/* SPDX-License-Identifier: MIT */
/*
 * The writer's table of descriptors, which is not the program's: closefrom()
 * cannot reach the trace file, and the program's sockets are not held open.
 */
#ifndef RT_HOST_DESCRIPTORS_H
#define RT_HOST_DESCRIPTORS_H

/* Gives the calling thread an empty table of its own; leaves it as it is where that is refused. */
void waymark_own_descriptors(void);

#endif
