/* SPDX-License-Identifier: MIT */
/* The start of the writer thread. */
#ifndef RT_RECORD_WRITER_H
#define RT_RECORD_WRITER_H

/* Starts the writer thread unless it runs. Not in signal handlers. */
void waymark_writer_start(void);

#endif
