/* SPDX-License-Identifier: MIT */
/* Records the events of fire.c, except cut ones, by the functions that tracetool generates. */
#include <math.h>

#include "trace-typed.h"

static const unsigned char bytes[] = { 0, 10, 255 };

struct request {
	uint64_t sector;
	const char *name;
};

static void put_request(struct waymark_formatter *f, const void *object)
{
	const struct request *r = object;
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Request");
	waymark_debug_field(&g, "sector", waymark_debug(r->sector));
	waymark_debug_field(&g, "name", waymark_debug(r->name));
	waymark_debug_end(&g);
}

static void call_with_numbers(void)
{
	trace_t_ints(200, -5, 0xabcd, 0xbe, -1, INT64_MIN, true);
	trace_t_floats(0.1f, 1e21, 2.675, 1500);
	trace_t_floats(-INFINITY, (double)NAN, -0.0, 1e-7f);
	trace_t_wide(waymark_u128_of(UINT64_MAX, UINT64_MAX),
		waymark_i128_of(0x12, 0x3456789abcdef001),
		waymark_i128_of(UINT64_MAX, (uint64_t)-7));
}

static void call_with_debugs(void)
{
	trace_t_debug(
		waymark_debug((uint8_t)255), waymark_debug((int16_t)-2), waymark_debug_bool(true));
	trace_t_debug(waymark_debug_char('A'), waymark_debug_u64(0xdeadbeefcafe),
		waymark_debug("a \"b\""));
	trace_t_debug(waymark_debug_u128(waymark_u128_of(1, 0)),
		waymark_debug_i128(waymark_i128_of(UINT64_MAX, UINT64_MAX)),
		waymark_debug_bytes("\001\002", 2));
	trace_t_debug(waymark_debug(1.0), waymark_debug(0.25f),
		waymark_debug((const void *)(uintptr_t)0x7f00));
	trace_t_debug(waymark_debug("cu"), waymark_debug((int64_t)77), waymark_debug(7u));
}

int main(void)
{
	const struct request request = { 4096, "disk \"a\"" };
	const char *quoted = "\"q\" \n caf\xc3\xa9";

	call_with_numbers();
	trace_t_text("plain \033[1m", 10, quoted, strlen(quoted), "abc", 3, "end");
	trace_t_text("cut and more", 3, "cut", 3, "", 0, "x");
	trace_t_bytes(bytes, 3, bytes, 3);
	call_with_debugs();
	trace_t_names(9, "X", 1, 8, waymark_debug((int8_t)-3), 7);
	trace_t_escapes("s");
	trace_t_empty();
	trace_t_objects(waymark_debug_object(put_request, &request),
		waymark_debug_object(put_request, &request));
	return 0;
}
