/* SPDX-License-Identifier: MIT */
/* What scopes took, for programs: as JSON and as comma-separated values. */
#ifndef VIEW_SCOPES_H
#define VIEW_SCOPES_H

#include "analyse/scopes.h"
#include "text/out.h"

/* Both after scopes_end(); times are nanoseconds. */
void scopes_put_json(struct out *out, const struct scopes *s);
void scopes_put_csv(struct out *out, const struct scopes *s);

/* The numbers that all views show of a row, in the order of their titles. */
#define SCOPES_NUMBERS 9

extern const char *const scopes_titles[SCOPES_NUMBERS];
void scopes_numbers(const struct scope_row *row, uint64_t numbers[SCOPES_NUMBERS]);

#endif
