/* SPDX-License-Identifier: MIT */
/* nop: a build without tracing. It has a row, so that it can be named, and no code. */
#include "emit/emit.h"

const struct emit_backend emit_backend_nop = { .mask = NULL };
