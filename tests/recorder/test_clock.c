/* SPDX-License-Identifier: MIT */
/*
 * The names of the kernel's clock source with which events carry the processor's counter: on
 * arm64 only the generic timer, on x86 all but the fallbacks.
 */
#include "rt/record/clock.h"
#include "support.h"

#define NOT_TOLD ""

static void on_arm64_only_the_generic_timer_is_trusted(void **state)
{
	static const char *const others[] = { NOT_TOLD, "jiffies", "refined-jiffies", "timer",
		"sp804", "mmio", "arch_sys_counter2", "xen", "tsc", "tsc-early", "kvm-clock",
		"hpet", "acpi_pm", "hyperv_clocksource_tsc_page", "hyperv_clocksource_msr", "tod",
		"timebase", "riscv_clocksource" };

	(void)state;
	assert_true(clock_source_is_arm_counter("arch_sys_counter"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_false(clock_source_is_arm_counter(others[i]));
	}
}

static void on_x86_what_the_kernel_falls_back_to_is_not_trusted(void **state)
{
	static const char *const trusted[] = { NOT_TOLD, "tsc", "tsc-early", "kvm-clock", "xen",
		"hyperv_clocksource_tsc_page" };
	static const char *const slow[] = { "hpet", "acpi_pm", "pit", "jiffies",
		"refined-jiffies" };

	(void)state;
	for (size_t i = 0; i < sizeof(trusted) / sizeof(trusted[0]); i++) {
		assert_true(clock_source_clears_tsc(trusted[i]));
	}
	for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
		assert_false(clock_source_clears_tsc(slow[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_arm64_only_the_generic_timer_is_trusted),
		cmocka_unit_test(on_x86_what_the_kernel_falls_back_to_is_not_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
