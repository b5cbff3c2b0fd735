/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the stand-in uses. */
typedef struct CPUArchState CPUArchState;
void preexit_cleanup(CPUArchState *env, int code);
