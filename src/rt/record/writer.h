/* SPDX-License-Identifier: MIT */
/* The writer thread's own function, for who starts it. */
#ifndef RT_RECORD_WRITER_H
#define RT_RECORD_WRITER_H

/* `process`: a struct process. Never returns. */
void *waymark_writer_main(void *process);

#endif
