/* SPDX-License-Identifier: MIT */
/* For LD_PRELOAD: a time of day that jumps an hour forwards and back every few ms. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FIRST_MS 50 /* no jumps while the trace begins */
#define EACH_MS 10

static long loaded_ms;

static long now_ms(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

__attribute__((constructor)) static void note_load(void)
{
	loaded_ms = now_ms();
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int result = (int)syscall(SYS_clock_gettime, clock, t);
	long ms = now_ms() - loaded_ms;

	if (!result && clock == CLOCK_REALTIME && ms >= FIRST_MS) {
		t->tv_sec += ms / EACH_MS % 2 ? 3600 : -3600;
	}
	return result;
}
