/* SPDX-License-Identifier: MIT */
/* See recover/cut_memory.h. */
#include "recover/cut_memory.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where none can be put, the signal comes again at once, and ends the process. */
static void put_zeros(int sig, siginfo_t *info, void *context)
{
	int why = errno;
	uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & ~(size - 1));

	(void)context;
	if (info->si_code != BUS_ADRERR ||
		mmap(page, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
			-1, 0) == MAP_FAILED) {
		signal(sig, SIG_DFL);
	}
	errno = why;
}

void cut_memory_survive(void)
{
	struct sigaction act = { .sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &act, NULL);
}
