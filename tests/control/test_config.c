/* SPDX-License-Identifier: MIT */
/* Applying an option: all of it is checked before anything changes. */
#include <signal.h>
#include <string.h>

#include "config_fixture.h"
#include "rt/control/config.h"
#include "rt/record/process.h"
#include "rt/record/recorder.h"

/* Parses and applies the option, which must be refused for `reason` and change nothing. */
static void refuse_to_apply(const char *text, const char *reason)
{
	struct waymark_match match = { 0 };
	uint64_t delay = waymark_recorder_delay();
	enum recorder_policy policy = waymark_recorder_policy();

	parse(text);
	assert_int_equal(waymark_config_apply(&c, &match, &error), -1);
	if (!strstr(error.text, reason)) {
		fail_msg("'%s': '%s' does not contain '%s'", text, error.text, reason);
	}
	assert_int_equal(waymark_recorder_delay(), delay);
	assert_int_equal(waymark_recorder_policy(), policy);
	waymark_config_fini(&c);
}

static void accept(const char *text)
{
	parse(text);
	if (waymark_config_apply(&c, NULL, &error) < 0) {
		fail_msg("'%s': %s", text, error.text);
	}
	waymark_config_fini(&c);
}

static void keys_that_need_others_are_refused_alone(void **state)
{
	(void)state;
	refuse_to_apply("flush=77,keep=4", "keep= needs rotate=SIZE in the same option");
	refuse_to_apply("flush=77,snapshot=USR2", "snapshot= needs full=overwrite");
	refuse_to_apply("flush=77,snapshot=USR2,full=block", "snapshot= needs full=overwrite");
	accept("rotate=1M,keep=4");
	refuse_to_apply("flush=77,keep=4", "keep= needs rotate=SIZE in the same option");
	accept("full=overwrite");
	accept("snapshot=USR2");
	accept("full=discard");
}

static void sizes_of_the_buffer_are_checked_before_anything_changes(void **state)
{
	(void)state;
	refuse_to_apply(
		"flush=77,full=block,buffer=1023K", "buffer=: a buffer must have 1M to 64G");
	refuse_to_apply("flush=77,full=block,buffer=65G", "buffer=: a buffer must have 1M to 64G");
	refuse_to_apply("string=7", "string=: a string may have 8 to 16K");
	refuse_to_apply("string=16385", "string=: a string may have 8 to 16K");
	accept("buffer=1M");
	accept("buffer=64G");
	accept("buffer=256M");
}

static void on_own(int sig)
{
	(void)sig;
}

static void handler_of(int sig, struct sigaction *now)
{
	assert_int_equal(sigaction(sig, NULL, now), 0);
}

static void snapshot_takes_no_signal_that_the_program_has(void **state)
{
	struct sigaction now;

	(void)state;
	signal(SIGUSR1, on_own);
	refuse_to_apply("full=overwrite,snapshot=USR1",
		"snapshot=: the program handles or ignores signal 10 itself");
	handler_of(SIGUSR1, &now);
	assert_true(now.sa_handler == on_own);
	signal(SIGUSR1, SIG_IGN);
	refuse_to_apply("full=overwrite,snapshot=USR1", "handles or ignores signal 10");
	signal(SIGUSR1, SIG_DFL);
	accept("full=overwrite,snapshot=USR1,flush=5");
	handler_of(SIGUSR1, &now);
	assert_true(now.sa_handler != SIG_DFL);
	assert_int_equal(now.sa_flags & SA_RESTART, SA_RESTART);
}

static void another_snapshot_signal_gives_the_first_one_back(void **state)
{
	struct sigaction now;

	(void)state;
	accept("full=overwrite,snapshot=USR1");
	accept("snapshot=USR1");
	accept("snapshot=USR2");
	handler_of(SIGUSR1, &now);
	assert_true(now.sa_handler == SIG_DFL);
	handler_of(SIGUSR2, &now);
	assert_true(now.sa_handler != SIG_DFL);
	raise(SIGUSR2);
	accept("full=discard");
}

/* Returns true if an abort would find our signal handler after `option`. */
static bool handles_abort(const char *option)
{
	struct waymark_match match = { 0 };
	struct sigaction now;

	parse(option);
	assert_int_equal(waymark_config_apply(&c, &match, &error), 0);
	waymark_crash_init();
	sigaction(SIGABRT, NULL, &now);
	return now.sa_handler != SIG_DFL;
}

static void crash_handlers_are_an_option(void **state)
{
	(void)state;
	signal(SIGABRT, SIG_DFL);
	assert_false(handles_abort("crash=off"));
	assert_true(handles_abort("crash=on"));
	signal(SIGTERM, SIG_DFL);
	assert_true(handles_abort("crash=on") && signal(SIGTERM, SIG_DFL) == SIG_DFL);
	assert_true(handles_abort("crash=all") && signal(SIGTERM, SIG_DFL) != SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGABRT, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(keys_that_need_others_are_refused_alone, teardown),
		cmocka_unit_test_teardown(
			sizes_of_the_buffer_are_checked_before_anything_changes, teardown),
		cmocka_unit_test_teardown(snapshot_takes_no_signal_that_the_program_has, teardown),
		cmocka_unit_test_teardown(
			another_snapshot_signal_gives_the_first_one_back, teardown),
		cmocka_unit_test_teardown(crash_handlers_are_an_option, teardown),
	};

	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
