// SPDX-License-Identifier: MIT
// The control API from C++11, for programs that forbid the casts of C.
#include <cstring>

#include <trace/control.h>

static const uint32_t cxx_word = WAYMARK_ANY_BACKEND;
#define TRACE_CXX_ENABLED 1
#define TRACE_CXX_BACKENDS() WAYMARK_BACKENDS(cxx_word)

int main()
{
	if (!trace_event_get_state(TRACE_CXX)) {
		return 1;
	}
	waymark_error error;
	waymark_match match;
	TraceEventIter iter;
	int events = 0;

	if (waymark_enable("cxx_*", WAYMARK_ANY_BACKEND, &match, &error) || match.events != 0) {
		return 1;
	}
	if (waymark_configure("bogus=1", &error) != -1 || !std::strstr(error.text, "'bogus'")) {
		return 1;
	}
	trace_event_iter_init_all(&iter);
	while (TraceEvent *ev = trace_event_iter_next(&iter)) {
		events += trace_event_get_name(ev) != nullptr;
	}
	trace_init_backends();
	trace_init_file();
	return events == 0 && !trace_event_name("cxx_none") ? 0 : 1;
}
