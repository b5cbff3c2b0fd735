/* SPDX-License-Identifier: MIT */
/*
 * The dialect that options are read in. The program or its first option chooses the dialect, once.
 * WAYMARK_TRACE, which the user writes, may choose another one; a choice by the program or an
 * option overrides that.
 */
#ifndef RT_CONTROL_DIALECT_H
#define RT_CONTROL_DIALECT_H

#include <stdbool.h>

#include <waymark/control.h>

/* The dialects as the column of options.def and dialect= name them. */
enum dialect_bit {
	DIALECT_waymark = 1 << WAYMARK_DIALECT_WAYMARK,
	DIALECT_stratovirt = 1 << WAYMARK_DIALECT_STRATOVIRT,
	DIALECT_both = DIALECT_waymark | DIALECT_stratovirt,
};

/* How one option is written. */
struct dialect_use {
	enum waymark_dialect dialect;
	bool is_named; /* the option itself says so */
	bool is_variable; /* it is in WAYMARK_TRACE */
};

/*
 * Returns the dialect of an option that names none. Takes the control lock, as the functions below
 * do.
 */
enum waymark_dialect waymark_dialect_get(void);

const char *waymark_dialect_name(enum waymark_dialect dialect);

/* Finds the dialect of that name. Returns 0, or -1 with the reason. */
int waymark_dialect_find(
	enum waymark_dialect *dialect, const char *name, struct waymark_error *error);

/*
 * Checks the dialect of an option against that of earlier ones. Returns 0, or -1 with the reason.
 */
int waymark_dialect_check(const struct dialect_use *use, struct waymark_error *error);

/*
 * Notes that the option is in force: chooses its dialect. An option that names none keeps the
 * present one.
 */
void waymark_dialect_keep(const struct dialect_use *use);

#endif
