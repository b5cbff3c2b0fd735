/* SPDX-License-Identifier: MIT */
/* cmocka, and the headers that must be included before it. */
#ifndef TESTS_CONTROL_UNIT_H
#define TESTS_CONTROL_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
