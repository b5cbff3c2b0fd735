/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
#ifdef WAYMARK_QEMU_MAKE
extern __thread Monitor *cur_mon;
#else
Monitor *monitor_cur(void);
#endif
