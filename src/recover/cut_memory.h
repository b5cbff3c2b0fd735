/* SPDX-License-Identifier: MIT */
/*
 * Whoever has a process's memory open may cut its file, a process in a jail too; who has
 * it mapped and looks at what was cut gets SIGBUS. A drain serves many, and goes on.
 */
#ifndef RECOVER_CUT_MEMORY_H
#define RECOVER_CUT_MEMORY_H

/*
 * From here on, for all of the process, pages that were cut are zeros, which mean nothing in
 * a trace. That they were cut the file's size tells. Any other SIGBUS ends the process.
 */
void cut_memory_survive(void);

#endif
