/* SPDX-License-Identifier: MIT */
/*
 * Shared by the programs that survive.py ends in every way: each event is counted
 * after its call has returned, in shared memory that survives a kill.
 */
#ifndef TESTS_SURVIVE_VICTIM_H
#define TESTS_SURVIVE_VICTIM_H

#include <stdint.h>
#include <sys/types.h>

#define THREADS_MAX 16384u

/* A way to live and to end. */
struct mode {
	const char *name;
	void (*run)(char **argv);
};

extern const struct mode modes_end[], modes_fork[], modes_hold[], modes_long[], modes_middle[],
	modes_module[], modes_place[], modes_thread[];

/* Records thread's next event and then counts it, in COUNTS. Any thread, one at a time for each. */
void live(unsigned int thread);
void live_for(unsigned int thread, uint64_t events);

/* The same with another event than this program's. */
void live_by(unsigned int thread, void (*record)(uint32_t, uint64_t));

/* How many it has recorded. */
uint64_t lived(unsigned int thread);

/* Starts threads `first`... that record as fast as they can until the process ends. */
void storm(unsigned int first, unsigned int count);

/* exit() that is slow behind all destructors; others may wait until it is there. */
void exit_slowly(void);
void wait_till_late(void);

void sleep_ms(unsigned int ms);

/* Ends the process in the way named: exit, _exit, abort, segv ... */
void end(const char *how);

/* Waits for a child; one that hangs or fails is an end with status 3 or 4. */
void wait_for(pid_t pid);

#endif
