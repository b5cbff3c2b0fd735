/* SPDX-License-Identifier: MIT */
/* syslog() to a private /dev/log: see recorder.h. */
#include <inttypes.h>
#include <syslog.h>

#define record_two_u64(a, b) \
	syslog(LOG_DEBUG, "two_u64 a %" PRIu64 " b %" PRIu64, (uint64_t)(a), (uint64_t)(b))
#define record_u64_str(a, s) syslog(LOG_DEBUG, "u64_str a %" PRIu64 " s %s", (uint64_t)(a), s)
