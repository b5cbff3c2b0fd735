/* SPDX-License-Identifier: MIT */
/* Functions of the C++ part of program.c, built if there is a compiler for it. */
#ifndef TESTS_PLATFORM_PROGRAM_H
#define TESTS_PLATFORM_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

void points_of_c(void);
void points_of_cxx(void);

#ifdef __cplusplus
}
#endif

#endif
