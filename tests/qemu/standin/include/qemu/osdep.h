/* SPDX-License-Identifier: MIT */
/* Declares what files of the tree expect of its headers. */
#ifndef QEMU_OSDEP_H
#define QEMU_OSDEP_H

#ifndef WAYMARK_QEMU_MAKE
#include "config-host.h"
#endif

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct QemuOptsList QemuOptsList;
typedef struct Monitor Monitor;
typedef struct Error Error;

/* GLib's clock. */
int64_t g_get_real_time(void);
int qemu_get_thread_id(void);

#endif
