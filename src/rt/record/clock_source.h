/* SPDX-License-Identifier: MIT */
/*
 * Whether the kernel trusts the processor's counter, by the name of its own clock in
 * sysfs; "" where that is not known. Without state, and for any processor, so that tests
 * can call it; clock.c decides.
 */
#ifndef RT_RECORD_CLOCK_SOURCE_H
#define RT_RECORD_CLOCK_SOURCE_H

#include <stdbool.h>
#include <string.h>

/*
 * The generic timer's name. On other clocks the kernel may run because it does not trust this
 * one, and an emulator shows those of the processor below, whose counter has another rate.
 */
static inline bool clock_source_is_arm_counter(const char *kernel)
{
	return strcmp(kernel, "arch_sys_counter") == 0;
}

/*
 * The kernel takes the cycle counter away from itself when it has caught it going wrong; it
 * then runs on one of these. Others (tsc, kvm-clock, hyperv) are the cycle counter, or do not
 * say anything about it.
 */
static inline bool clock_source_clears_tsc(const char *kernel)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "pit", "jiffies",
		"refined-jiffies" };

	for (unsigned int i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		if (strcmp(kernel, slow[i]) == 0) {
			return false;
		}
	}
	return true;
}

#endif
