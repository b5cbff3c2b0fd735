/* SPDX-License-Identifier: MIT */
/* The header that every source of such a host includes first. */
#ifndef TCG_HOST_OSDEP_H
#define TCG_HOST_OSDEP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#endif
