/* SPDX-License-Identifier: MIT */
/*
 * A libhitrace_meter.so that writes a line for each of its calls to the file named by
 * HITRACE_CALLS.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void StartTraceWrapper(uint64_t tag, const char *text);
void FinishTrace(uint64_t tag);
void StartAsyncTraceWrapper(uint64_t tag, const char *text, int32_t id);
#ifndef LACKS_ONE
void FinishAsyncTraceWrapper(uint64_t tag, const char *text, int32_t id);
#endif

static int calls = -1;

__attribute__((constructor)) static void begin(void)
{
	calls = open(getenv("HITRACE_CALLS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	dprintf(calls, "loaded\n");
}

void StartTraceWrapper(uint64_t tag, const char *text)
{
	dprintf(calls, "start %" PRIu64 " %s\n", tag, text);
}

void FinishTrace(uint64_t tag)
{
	dprintf(calls, "finish %" PRIu64 "\n", tag);
}

void StartAsyncTraceWrapper(uint64_t tag, const char *text, int32_t id)
{
	dprintf(calls, "start async %" PRIu64 " %" PRId32 " %s\n", tag, id, text);
}

#ifndef LACKS_ONE
void FinishAsyncTraceWrapper(uint64_t tag, const char *text, int32_t id)
{
	dprintf(calls, "finish async %" PRIu64 " %" PRId32 " %s\n", tag, id, text);
}
#endif
