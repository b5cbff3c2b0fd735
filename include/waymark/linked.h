/* SPDX-License-Identifier: MIT */
/*
 * waymark/linked.h - lets a program whose trace points are compiled out call the library's
 * functions without linking it, see waymark-init(3). Part of other headers; not for hand-written
 * code.
 *
 * A header cannot see whether other files have events, so its references to the library are weak,
 * and the linker resolves them if a file with events is linked. The references are strong if
 * WAYMARK_SCOPES names a backend, or if the program defines WAYMARK_LINKED (a host whose plug-ins
 * have events).
 */
#ifndef WAYMARK_LINKED_H
#define WAYMARK_LINKED_H

#include <waymark/backends.def>

/* clang-format off */
#define WAYMARK_SCOPES_IS(what, name) || WAYMARK_SCOPES_KNOW_##name == (what)

/* For #if: true if one of the names has that class. */
#define WAYMARK_SCOPES_ANY(what, ...) \
	WAYMARK_SCOPES_ANY_(what, __VA_ARGS__, nop, nop, nop, nop, nop, nop, nop, nop, nop, ~)
#define WAYMARK_SCOPES_ANY_(...) WAYMARK_SCOPES_ANY_OF(__VA_ARGS__)
#define WAYMARK_SCOPES_ANY_OF(what, a, b, c, d, e, f, g, h, i, ...) (0 \
	WAYMARK_SCOPES_IS(what, a) WAYMARK_SCOPES_IS(what, b) WAYMARK_SCOPES_IS(what, c) \
	WAYMARK_SCOPES_IS(what, d) WAYMARK_SCOPES_IS(what, e) WAYMARK_SCOPES_IS(what, f) \
	WAYMARK_SCOPES_IS(what, g) WAYMARK_SCOPES_IS(what, h) WAYMARK_SCOPES_IS(what, i))

#ifndef WAYMARK_LINKED
#if defined WAYMARK_SCOPES ? WAYMARK_SCOPES_ANY(2, WAYMARK_SCOPES) : \
	defined WAYMARK_SCOPES_DEFAULT && WAYMARK_SCOPES_ANY(2, WAYMARK_SCOPES_DEFAULT)
#define WAYMARK_LINKED
#else
#include <waymark/unlinked.h>
#endif
#endif

/* clang-format on */

#endif
