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

/* A mode of the victim: it records, and ends in its way. */
struct mode {
	const char *name;
	void (*run)(char **argv);
};

extern const struct mode modes_end[], modes_fork[], modes_hold[], modes_long[], modes_middle[],
	modes_module[], modes_place[], modes_thread[];

/*
 * Records the thread's next event and then counts it in COUNTS. May be called from any thread, but
 * from one at a time per number.
 */
void live(unsigned int thread);
void live_for(unsigned int thread, uint64_t events);

/* Like live(), but with another event. */
void live_by(unsigned int thread, void (*record)(uint32_t, uint64_t));

/* Returns the number of events that it has recorded. */
uint64_t lived(unsigned int thread);

/* Starts threads `first`... that record as fast as they can until the process ends. */
void storm(unsigned int first, unsigned int count);

/* Calls exit(), which is slow after all destructors; other threads may wait for that point. */
void exit_slowly(void);
void wait_till_late(void);

void sleep_ms(unsigned int ms);

/* Ends the process in the named way: exit, _exit, abort, segv ... */
void end(const char *how);

/* Waits for a child; exits with status 3 if it hangs, or 4 if it fails. */
void wait_for(pid_t pid);

#endif
