/* SPDX-License-Identifier: MIT */
/* How the threads of the recorder start, and the writer's own function. */
#ifndef RT_RECORD_WRITER_H
#define RT_RECORD_WRITER_H

/* `process`: a struct process. Never returns. */
void *waymark_writer_main(void *process);

/*
 * Starts a detached thread that is scheduled as the main thread is by default. Returns 0 or
 * an errno. The thread's mask of signals is the caller's: no signal may come to it.
 */
int waymark_recorder_thread(void *(*main)(void *), void *argument);

#endif
