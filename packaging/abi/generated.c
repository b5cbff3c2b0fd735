/* SPDX-License-Identifier: MIT */
/*
 * packaging/abi/generated.c - types that generated code and inline functions of public headers
 * share with the runtime, but that no exported function's type contains. It has one variable of
 * each, so that the debug information describes them for tools/abi. Add new structs of generated
 * code here. Linked into nothing.
 */
#include <waymark/category.h>
#include <waymark/debug.h>
#include <waymark/descriptor.h>
#include <waymark/event.h>
#include <waymark/record.h>
#include <waymark/record_scope.h>
#include <waymark/site.h>
#include <waymark/translate.h>

/*
 * Numbers that are compiled into programs, as array sizes: the ABI check may miss a changed
 * enumerator.
 */
struct constants {
	char abi[WAYMARK_ABI];
	char cycles[WAYMARK_CYCLES];
	char cycles_slowly[WAYMARK_CYCLES_SLOWLY];
	char record_overhead[WAYMARK_RECORD_OVERHEAD];
	char record_max[WAYMARK_RECORD_MAX];
	char text_max[WAYMARK_TEXT_MAX];
	char wide_room[WAYMARK_WIDE_ROOM];
	char site_values_max[WAYMARK_SITE_VALUES_MAX];
	char site_texts_max[WAYMARK_SITE_TEXTS_MAX];
};

struct generated {
	/* Enumerations that structs and calls pass as plain integers. */
	enum waymark_kind kind;
	enum waymark_event_flag event_flag;
	enum waymark_backend backend;
	enum waymark_debug_kind debug_kind;
	enum waymark_mark mark;
	enum waymark_recorder recorder;
	enum waymark_site_kind site_kind;
	/* Structs that generated code defines and inline functions read. */
	struct waymark_object object;
	struct waymark_event event;
	struct waymark_arg arg;
	struct waymark_category category;
	struct waymark_site site;
	struct waymark_site_scope site_scope;
	struct waymark_scope scope;
	struct waymark_cursor cursor;
	struct waymark_message message;
	struct waymark_debug debug;
	struct waymark_group group;
	struct waymark_tracepoint tracepoint;
};

extern struct generated waymark_generated;
struct generated waymark_generated;
extern struct constants waymark_constants;
struct constants waymark_constants;
