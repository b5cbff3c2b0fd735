/* SPDX-License-Identifier: MIT */
/* Losses of a trace, in the same words for lines of gaps and for reports of traces and threads. */
#ifndef VIEW_GAP_H
#define VIEW_GAP_H

#include "read/record.h"
#include "text/out.h"

/* Writes `lost 5 events, 20 packets rotated away`; `lost 0 events` if nothing is missing. */
void gap_put_text(struct out *out, const struct losses *l);

/* Writes `"lost":5,"overwritten":0,"rotated_packets":20,"missing_packets":0`. */
void gap_put_json(struct out *out, const struct losses *l);

#endif
