/* SPDX-License-Identifier: MIT */
/*
 * Fires each event of live.toml once; begins nested scopes, and a scope that another thread ends.
 */
#include <pthread.h>
#include <stddef.h>

#include <waymark/control.h>
#include <waymark/debug.h>

#include "trace-live.h"

static const unsigned char bytes[] = { 0, 10, 255 };

struct sector {
	uint64_t number;
	const char *disk;
};

static void put_sector(struct waymark_formatter *f, const void *object)
{
	const struct sector *s = object;
	struct waymark_group g;

	waymark_debug_struct(&g, f, "Sector");
	waymark_debug_field(&g, "number", waymark_debug(s->number));
	waymark_debug_field(&g, "disk", waymark_debug(s->disk));
	waymark_debug_end(&g);
}

static void fire_events(void)
{
	const struct sector sector = { 4096, "vda" };

	trace_integers(255, -128, 65535, -32768, 190, INT32_MIN, UINT64_MAX, INT64_MIN, 4711, true);
	trace_floats(0.25f, -1.5);
	trace_wide(waymark_u128_of(18, UINT64_C(0x3456789abcdef001)),
		waymark_i128_of(UINT64_MAX, (uint64_t)-7));
	trace_texts("plain", "two words", "cut here", 3);
	trace_bytes(bytes, sizeof(bytes), bytes + 1, 1);
	trace_values(waymark_debug(-42), waymark_debug_object(put_sector, &sector), 3);
	trace_nothing();
}

static void *end_request(void *scope)
{
	waymark_scope_end(scope);
	return NULL;
}

static void run_scopes(void)
{
	TRACE_COPY_SCOPE(4096, "outer");
	{
		TRACE_IDLE_SCOPE();
	}
	struct waymark_scope request = trace_request_start(7, waymark_debug("read"));
	pthread_t thread;

	if (pthread_create(&thread, NULL, end_request, &request) == 0) {
		pthread_join(thread, NULL);
	}
}

int main(void)
{
	fire_events();
	run_scopes();
	return 0;
}
