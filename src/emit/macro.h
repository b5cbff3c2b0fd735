/* SPDX-License-Identifier: MIT */
/* Names that a macro would replace in what other headers make of them: see macros.def. */
#ifndef EMIT_MACRO_H
#define EMIT_MACRO_H

/* What a backend's code includes that makes names of its own of an event's: bits. */
enum macro_place {
	MACRO_SDT = 1, /* <sys/sdt.h> */
	MACRO_LTTNG = 2, /* <lttng/tracepoint.h> */
};

/* The header that keeps `name` for a macro in one of these places; NULL: there is none. */
const char *macro_header(const char *name, unsigned int places);

#endif
