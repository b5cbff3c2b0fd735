/* SPDX-License-Identifier: MIT */
/* The table of formats, in the order of --help. */
#include "view/export/export.h"

const struct export_format *const export_formats[] = {
	&export_perfetto,
	&export_chrome,
	&export_csv,
	&export_jsonl,
	&export_sqlite,
	&export_pprof,
	&export_clickhouse,
	&export_otlp,
	NULL,
};
