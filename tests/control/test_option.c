/* SPDX-License-Identifier: MIT */
/* The language of the -trace option. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "rt/text/log_prefix.h"
#include "rt/control/option.h"
#include "config_fixture.h"

/* The option must be refused with an error that contains `reason`. */
static void refuse(const char *text, const char *reason)
{
	assert_int_equal(waymark_option_parse(&c, text, &error), -1);
	if (!strstr(error.text, reason)) {
		fail_msg("'%s': '%s' does not contain '%s'", text, error.text, reason);
	}
	waymark_config_fini(&c);
}

static void assert_rule(size_t i, const char *pattern, bool on)
{
	assert_true(i < c.rules.count);
	assert_string_equal(c.rules.items[i].pattern, pattern);
	assert_int_equal(c.rules.items[i].on, on);
}

static void key_of_first_pattern_may_be_left_out(void **state)
{
	(void)state;
	parse("blk_*,enable=net_?x");
	assert_int_equal(c.rules.count, 2);
	assert_rule(0, "blk_*", true);
	assert_rule(1, "net_?x", true);
	assert_false(rule_is_exact(&c.rules.items[0]));
	assert_false(rule_is_exact(&c.rules.items[1]));
}

static void minus_switches_off(void **state)
{
	(void)state;
	parse("*,enable=-blk_read");
	assert_rule(0, "*", true);
	assert_rule(1, "blk_read", false);
	assert_true(rule_is_exact(&c.rules.items[1]));
}

static void doubled_comma_is_a_comma(void **state)
{
	(void)state;
	parse("a,file=x,,y,log.file=,,,buffer=1");
	assert_string_equal(c.file, "x,y");
	assert_string_equal(c.log_file, ",");
	assert_int_equal(c.buffer, 1);
}

static void last_file_of_a_key_wins(void **state)
{
	(void)state;
	parse("file=one,simple.file=s,file=two");
	assert_string_equal(c.file, "two");
	assert_string_equal(c.simple_file, "s");
	assert_null(c.log_file);
	assert_int_equal(c.rules.count, 0);
}

static void file_is_that_of_the_backend_that_is_named(void **state)
{
	(void)state;
	parse("*,backend=simple,file=s");
	assert_null(c.file);
	assert_string_equal(c.simple_file, "s");
	waymark_config_fini(&c);
	parse("*,file=l,backend=log");
	assert_null(c.file);
	assert_string_equal(c.log_file, "l");
	waymark_config_fini(&c);
	parse("*,backend=log+simple,file=both");
	assert_string_equal(c.simple_file, "both");
	assert_null(c.log_file);
	waymark_config_fini(&c);
	parse("*,backend=syslog,file=none");
	assert_string_equal(c.file, "none");
}

static void file_and_the_backends_own_key_override_each_other(void **state)
{
	(void)state;
	parse("*,backend=simple,file=a,simple.file=b");
	assert_string_equal(c.simple_file, "b");
	waymark_config_fini(&c);
	parse("*,simple.file=b,file=a,backend=simple");
	assert_string_equal(c.simple_file, "a");
	waymark_config_fini(&c);
	parse("*,file=a,simple.file=b,file=c,log.file=d,backend=simple");
	assert_string_equal(c.simple_file, "c");
	assert_string_equal(c.log_file, "d");
}

static void monitor_has_a_place_and_a_language(void **state)
{
	(void)state;
	parse("control=./a,control-prompt=(x),, ,control-mode=hmp,control=/b/%d");
	assert_string_equal(c.monitor.where, "/b/%d");
	assert_string_equal(c.monitor.mode, "hmp");
	assert_string_equal(c.monitor.prompt, "(x), ");
	waymark_config_fini(&c);
	parse("control-prompt=");
	assert_string_equal(c.monitor.prompt, "");
	assert_null(c.monitor.where);
	waymark_config_fini(&c);
	refuse("control=m.sock",
		"control=: 'm.sock' is not one of on, auto, stdio and fd:N. A socket's "
		"name needs a '/', as in ./m.sock");
	refuse("control=", "control= needs on, auto, stdio, fd:N or the path of a socket");
}

static void nothing_is_asked_by_an_empty_option(void **state)
{
	(void)state;
	parse("");
	parse(",");
	assert_int_equal(c.rules.count, 0);
	assert_false(c.help);
}

static void value_may_contain_an_equals_sign(void **state)
{
	(void)state;
	parse("file=a=b");
	assert_string_equal(c.file, "a=b");
}

static void help_is_found_at_any_place(void **state)
{
	(void)state;
	parse("help");
	assert_true(c.help);
	waymark_config_fini(&c);
	parse("a,?");
	assert_true(c.help);
	assert_int_equal(c.rules.count, 1);
	waymark_config_fini(&c);
	parse("enable=help");
	assert_true(c.help);
	assert_int_equal(c.rules.count, 0);
	waymark_config_fini(&c);
	parse("enable=?");
	assert_true(c.help);
}

static void backend_limits_all_patterns_of_the_option(void **state)
{
	(void)state;
	parse("a,backend=log,enable=b,backend=simple+ctf");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(
			c.rules.items[i].backends, WAYMARK_LOG | WAYMARK_SIMPLE | WAYMARK_CTF);
	}
}

static void sizes_have_units(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} sizes[] = {
		{ "buffer=4096", 4096 },
		{ "buffer=64K", 65536 },
		{ "buffer=64k", 65536 },
		{ "buffer=3M", 3u << 20 },
		{ "buffer=2G", UINT64_C(2) << 30 },
		{ "buffer=17179869183G", UINT64_C(17179869183) << 30 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		parse(sizes[i].text);
		assert_int_equal(c.buffer, sizes[i].bytes);
	}
}

static void wrong_sizes_are_refused(void **state)
{
	static const char *const sizes[] = { "buffer=", "buffer=0", "buffer=-1", "buffer= 1",
		"buffer=1T", "buffer=1KB", "buffer=K", "buffer=17179869184G",
		"buffer=99999999999999999999", "buffer=5 " };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		refuse(sizes[i], "is not a size");
	}
}

static void words_are_one_of_a_few(void **state)
{
	(void)state;
	parse("full=discard,full=overwrite,full=block,replace=on,replace=off");
	assert_string_equal(c.full, "block");
	assert_string_equal(c.replace, "off");
	refuse("full=", "full=: '' is not one of discard, overwrite, block");
	refuse("full=drop", "full=: 'drop' is not one of discard, overwrite, block");
	refuse("crash=", "is not one of on, off, all");
	refuse("crash=of", "is not one of on, off, all");
	refuse("replace=yes", "replace=: 'yes' is not one of on, off");
}

static void counts_have_bounds(void **state)
{
	(void)state;
	parse("flush=1");
	assert_int_equal(c.flush_ns, UINT64_C(1000000000));
	parse("flush=3600,keep=1,rotate=1M");
	assert_int_equal(c.flush_ns, UINT64_C(3600000000000));
	assert_int_equal(c.keep, 1);
	assert_int_equal(c.rotate, 1u << 20);
	parse("keep=1000000");
	assert_int_equal(c.keep, 1000000);
	refuse("flush=0", "flush=: '0' is not a number from 1 to 3600");
	refuse("flush=3601", "not a number from 1 to 3600");
	refuse("flush=1s", "not a number from 1 to 3600");
	refuse("keep=0", "keep=: '0' is not a number from 1 to 1000000");
	refuse("keep=1000001", "not a number from 1 to 1000000");
	refuse("keep=-1", "not a number from 1 to 1000000");
	parse("syslog.rate=1000000");
	assert_int_equal(c.syslog_rate, 1000000);
	refuse("syslog.rate=0", "syslog.rate=: '0' is not a number from 1 to 1000000");
	refuse("syslog.rate=10/s", "not a number from 1 to 1000000");
	refuse("rotate=", "rotate=: '' is not a size");
	refuse("rotate=1023K", "rotate=: '1023K' is too small; a tracefile has at least 1M");
}

static void signals_have_names_and_numbers(void **state)
{
	(void)state;
	parse("snapshot=USR2");
	assert_int_equal(c.snapshot, SIGUSR2);
	parse("snapshot=SIGUSR1");
	assert_int_equal(c.snapshot, SIGUSR1);
	parse("snapshot=1");
	assert_int_equal(c.snapshot, SIGHUP);
	parse("snapshot=34");
	assert_int_equal(c.snapshot, 34);
}

/* A fault would be raised again immediately, and some signals cannot be handled. */
static void signals_that_cannot_be_used_are_refused(void **state)
{
	static const char *const names[] = { "", "USR3", "usr2", "SIGSIGUSR2", " 12", "12 ", "+12",
		"0", "-1", "32", "33", "65", "99999999999999999999", "KILL", "STOP", "SEGV",
		"SIGBUS", "ILL", "FPE", "ABRT", "TRAP", "SYS", "9", "11" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char option[64];

		snprintf(option, sizeof(option), "snapshot=%s", names[i]);
		refuse(option, "is not a signal that can be used; write USR1, USR2 or a number");
	}
}

static void unknown_key_names_the_nearest(void **state)
{
	(void)state;
	refuse("bogus=1",
		"Invalid parameter 'bogus'; there are dialect=, enable=, events=, backend=, file=, "
		"ctf.file=, simple.file=, log.file=, log.prefix=, "
		"syslog.rate=, ftrace.style=, ftrace.instance=, buffer=, full=, "
		"jail=, snapshot=, rotate=, keep=, replace=, flush=, crash=, string=, leftovers=, stats=, control=, control-mode=, control-prompt=, help");
	refuse("a,fiel=x", "did you mean 'file='?");
	refuse("evnts=x", "did you mean 'events='?");
	refuse("simple.flie=x", "did you mean 'simple.file='?");
	refuse("log.prefx=none", "did you mean 'log.prefix='?");
	refuse("=x", "Invalid parameter ''");
}

static void later_word_without_key_is_refused(void **state)
{
	(void)state;
	refuse("a,b", "Invalid parameter 'b'; a further pattern is written enable=b");
}

static void values_are_checked(void **state)
{
	(void)state;
	refuse("enable=", "the name or pattern of an event is missing");
	refuse("enable=-", "the name or pattern of an event is missing");
	refuse("file=", "file= needs the name of a file");
	refuse("events=", "events= needs the name of a file");
	refuse("ctf.file=", "ctf.file= needs the name of a file");
	refuse("simple.file=", "simple.file= needs the name of a file");
	refuse("log.file=", "log.file= needs the name of a file");
	refuse("backend=lgo", "unknown backend 'lgo'");
	refuse("backend=log+", "unknown backend ''");
	refuse("jail=0", "jail=: '0' is neither off nor a number from 1 to 64");
	refuse("jail=65", "jail=: '65' is neither off nor a number from 1 to 64");
	refuse("jail=none", "jail=: 'none' is neither off");
	refuse("log.prefix=never", "'never' is not one of default, iso, none, stratovirt");
	refuse("events=/nonexistent/list", "events=: /nonexistent/list: No such file or directory");
	refuse("events=/", "events=: /: Is a directory");
}

static void control_characters_do_not_reach_the_message(void **state)
{
	(void)state;
	refuse("a\n\x1b[2J=1", "Invalid parameter 'a\\n\\x1b[2J'");
}

static void every_prefix_of_the_table_is_an_option(void **state)
{
	static const char *const names[] = {
#define WAYMARK_LOG_PREFIX(name, has_brackets, print) name,
#include "rt/text/log_prefixes.def"
#undef WAYMARK_LOG_PREFIX
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char option[64];

		snprintf(option, sizeof(option), "log.prefix=%s", names[i]);
		parse(option);
		assert_string_equal(c.log_prefix, names[i]);
	}
}

#define WAYMARK_both(text) text,
#define WAYMARK_waymark(text) text,
#define WAYMARK_stratovirt(text)

static void help_for_programs_names_every_key(void **state)
{
	static const char *const keys[] = {
#define WAYMARK_OPTION(key, dialect, take, value, help) \
	WAYMARK_##dialect("  " key "=" value "\n      " help "\n")
#include "rt/control/options.def"
#undef WAYMARK_OPTION
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_non_null(strstr(waymark_option_help(), keys[i]));
	}
	assert_non_null(strstr(waymark_option_help(), "  help\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(key_of_first_pattern_may_be_left_out, teardown),
		cmocka_unit_test_teardown(minus_switches_off, teardown),
		cmocka_unit_test_teardown(doubled_comma_is_a_comma, teardown),
		cmocka_unit_test_teardown(last_file_of_a_key_wins, teardown),
		cmocka_unit_test_teardown(file_is_that_of_the_backend_that_is_named, teardown),
		cmocka_unit_test_teardown(
			file_and_the_backends_own_key_override_each_other, teardown),
		cmocka_unit_test_teardown(monitor_has_a_place_and_a_language, teardown),
		cmocka_unit_test_teardown(nothing_is_asked_by_an_empty_option, teardown),
		cmocka_unit_test_teardown(value_may_contain_an_equals_sign, teardown),
		cmocka_unit_test_teardown(help_is_found_at_any_place, teardown),
		cmocka_unit_test_teardown(backend_limits_all_patterns_of_the_option, teardown),
		cmocka_unit_test_teardown(sizes_have_units, teardown),
		cmocka_unit_test_teardown(wrong_sizes_are_refused, teardown),
		cmocka_unit_test_teardown(words_are_one_of_a_few, teardown),
		cmocka_unit_test_teardown(counts_have_bounds, teardown),
		cmocka_unit_test_teardown(signals_have_names_and_numbers, teardown),
		cmocka_unit_test_teardown(signals_that_cannot_be_used_are_refused, teardown),
		cmocka_unit_test_teardown(unknown_key_names_the_nearest, teardown),
		cmocka_unit_test_teardown(later_word_without_key_is_refused, teardown),
		cmocka_unit_test_teardown(values_are_checked, teardown),
		cmocka_unit_test_teardown(control_characters_do_not_reach_the_message, teardown),
		cmocka_unit_test(help_for_programs_names_every_key),
		cmocka_unit_test_teardown(every_prefix_of_the_table_is_an_option, teardown),
	};

	return cmocka_run_group_tests_name("option", tests, NULL, NULL);
}
