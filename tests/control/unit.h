/* SPDX-License-Identifier: MIT */
/* What cmocka wants included before itself, and itself. */
#ifndef TESTS_CONTROL_UNIT_H
#define TESTS_CONTROL_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
