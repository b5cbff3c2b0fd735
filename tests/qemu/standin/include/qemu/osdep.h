/* SPDX-License-Identifier: MIT */
/* Declares what files of the tree expect of its headers. */
#ifndef QEMU_OSDEP_H
#define QEMU_OSDEP_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct QemuOptsList QemuOptsList;
typedef struct Monitor Monitor;

#endif
