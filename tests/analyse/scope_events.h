/* SPDX-License-Identifier: MIT */
/*
 * The begin and end event of a scope, as its declaration makes them,
 * and a token of a thread's scope.
 */
#ifndef TESTS_ANALYSE_SCOPE_EVENTS_H
#define TESTS_ANALYSE_SCOPE_EVENTS_H

#include <stdint.h>

#include "model/event.h"

#define SYNC (INT64_C(1) << 32)

static struct arg begin_args[] = {
	{ .name = "scope", .type = { .class = TYPE_INTEGER, .is_signed = true, .size64 = 8 } },
};
static struct arg end_args[] = {
	{ .name = "scope", .type = { .class = TYPE_INTEGER, .is_signed = true, .size64 = 8 } },
	{ .name = "scope_tid", .type = { .class = TYPE_INTEGER, .size64 = 4 } },
};
static struct event begin_event = { .args = begin_args, .arg_count = 1 };
static struct event end_event = { .args = end_args, .arg_count = 2 };

#endif
