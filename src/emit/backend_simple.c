/* SPDX-License-Identifier: MIT */
/* simple: the recorder takes the event, its sink writes simpletrace's format. */
#include "emit/record.h"

const struct emit_backend emit_backend_simple = { "WAYMARK_SIMPLE", "record", emit_record };
