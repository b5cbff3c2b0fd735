/* SPDX-License-Identifier: MIT */
/*
 * Serves requests, whose scopes and lives an export makes spans of: requests ROUNDS [NOTES]. NOTES
 * is a number of events in one scope, and of steps in one life.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <waymark/category.h>
#include <waymark/scope.h>

#include "trace-objects.h"
#include "trace-requests.h"

#define REQUEST_CATEGORIES(C) C(Net, true, "packets")
WAYMARK_CATEGORIES(REQUEST_CATEGORIES);

static void handle(int i)
{
	char request[33];

	/* the first one has an id of OpenTelemetry */
	snprintf(
		request, sizeof(request), i ? "request-%d" : "0af7651916cd43dd8448eb211c80319c", i);
	TRACE_HANDLE_SCOPE(request, "hidden-password", 10u * (unsigned int)i);
	trace_object_new((void *)(uintptr_t)0x7f00);
	{
		TRACE_PARSE_SCOPE(i ? 0.5 : 1.0 / 0.0, "bad \xff \"text\"\n");
		trace_note((uint64_t)i, "within parse");
		trace_io_submit((uint64_t)i, UINT64_MAX);
	}
	{
		TRACE_VAULT_SCOPE("hidden-token");
		WAYMARK_SCOPE(Net, "inside");
	}
	trace_io_retry((uint64_t)i, 424242);
	trace_note((uint64_t)i, "within handle");
	trace_io_complete((uint64_t)i, -i);
	trace_object_free((void *)(uintptr_t)0x7f00);
}

static void *run_flow(void *flow)
{
	WAYMARK_FLOW_STEP(Net, flow, "queued", 1);
	waymark_scope_end(flow);
	return NULL;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 3;
	int notes = argc > 2 ? atoi(argv[2]) : 0;
	pthread_t thread;

	trace_note(0, "outside");
	for (int i = 0; i < rounds; i++) {
		handle(i);
	}
	if (notes > 0) {
		TRACE_PARSE_SCOPE(0, "full");
		for (int i = 0; i < notes; i++) {
			trace_note((uint64_t)i, "one of many");
		}
		trace_io_submit(5000, 1);
		for (int i = 0; i < notes; i++) {
			trace_io_retry(5000, 424242);
		}
		trace_io_complete(5000, 7);
	}
	struct waymark_scope flow = WAYMARK_FLOW(Net, "packet");

	pthread_create(&thread, NULL, run_flow, &flow);
	pthread_join(thread, NULL);
	trace_io_submit(UINT64_MAX, 0);
	WAYMARK_BEGIN(Net, "unfinished");
	trace_note(1, "the last");
	return 0;
}
