/* SPDX-License-Identifier: MIT */
/* The functions that a program may replace (waymark/host.h): log lines and their prefix. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <waymark/host.h>

#include "log_fixture.h"

#define THREADS 4
#define EVENTS 20000

static char host_path[320];
static int host_fd = -1;
static char err_path[320];
static int saved_stderr = -1;
static uint32_t handler_events;
static char mark[] = "> ";

static void bring_events(int count)
{
	for (int i = 0; i < count; i++) {
		trace_probe(i);
	}
}

static int write_line(const char *line, size_t length, void *user)
{
	(void)user;
	return write(host_fd, line, length) == (ssize_t)length ? 0 : errno;
}

static size_t put_prefix(char *text, size_t size, void *user)
{
	assert_true(size >= 256);
	memcpy(text, user, strlen(user));
	return strlen(user);
}

static const struct waymark_host own_log = {
	.write = write_line,
	.prefix = put_prefix,
	.user = mark,
};

/* Standard error is a file, because the log goes there by default. */
static int begin(void **state)
{
	(void)state;
	snprintf(host_path, sizeof(host_path), "%s/host", folder);
	snprintf(err_path, sizeof(err_path), "%s/err", folder);
	unlink(host_path);
	unlink(err_path);
	host_fd = open(host_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	int fd = open(err_path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	saved_stderr = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	return waymark_configure("probe", &error);
}

static int end(void **state)
{
	(void)state;
	waymark_set_host(NULL);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(host_fd);
	return waymark_configure("-probe", NULL) | waymark_set_output("log", NULL, NULL);
}

static void the_program_writes_the_lines(void **state)
{
	(void)state;
	waymark_set_host(&own_log);
	trace_probe(7);
	assert_string_equal(content_of(host_path), "> probe value=7\n");
	waymark_set_host(NULL);
	trace_probe(8);
	assert_string_equal(content_of(host_path), "> probe value=7\n");
	assert_non_null(strstr(content_of(err_path), ":probe value=8\n"));
}

static void a_prefix_alone_goes_to_standard_error(void **state)
{
	static const struct waymark_host host = { .prefix = put_prefix, .user = mark };

	(void)state;
	waymark_set_host(&host);
	trace_probe(1);
	assert_string_equal(content_of(err_path), "> probe value=1\n");
}

static size_t put_too_much(char *text, size_t size, void *user)
{
	(void)user;
	memset(text, 'x', size);
	return 2 * size;
}

static void a_prefix_that_is_too_long_is_cut(void **state)
{
	static const struct waymark_host host = { .write = write_line, .prefix = put_too_much };

	(void)state;
	waymark_set_host(&host);
	trace_probe(1);
	assert_int_equal(strspn(content_of(host_path), "x"), 256);
}

static void the_users_file_wins(void **state)
{
	(void)state;
	waymark_set_host(&own_log);
	snprintf(path, sizeof(path), "%s/users", folder);
	waymark_set_output("log", path, &error);
	trace_probe(1);
	assert_string_equal(content_of(path), "> probe value=1\n");
	assert_string_equal(content_of(host_path), "");
	waymark_set_output("log", NULL, &error);
	trace_probe(2);
	assert_string_equal(content_of(host_path), "> probe value=2\n");
}

static int refuse(const char *line, size_t length, void *user)
{
	(void)line;
	(void)length;
	(void)user;
	return ENOSPC;
}

static void lines_that_the_program_cannot_write_are_counted(void **state)
{
	static const struct waymark_host host = { .write = refuse };
	struct waymark_stats before;
	struct waymark_stats after;

	(void)state;
	waymark_set_host(&host);
	waymark_get_stats(&before);
	errno = EDOM;
	bring_events(10);
	assert_int_equal(errno, EDOM);
	waymark_get_stats(&after);
	assert_int_equal(after.log_lost - before.log_lost, 10);
	assert_string_equal(content_of(err_path),
		"waymark: log: cannot write to the program's log: No space left on device; "
		"lines are lost\n");
}

/* Like a program whose own log is traced. */
static int write_and_trace(const char *line, size_t length, void *user)
{
	trace_probe(99);
	raise(SIGUSR1);
	return write_line(line, length, user);
}

static void trace_in_handler(int signal)
{
	(void)signal;
	trace_probe(100);
}

static void events_of_its_function_do_not_call_it_again(void **state)
{
	static const struct waymark_host host = { .write = write_and_trace };

	(void)state;
	signal(SIGUSR1, trace_in_handler);
	waymark_set_host(&host);
	trace_probe(1);
	assert_non_null(strstr(content_of(host_path), ":probe value=1\n"));
	assert_null(strstr(content_of(host_path), "=99"));
	assert_non_null(strstr(content_of(err_path), ":probe value=99\n"));
	assert_non_null(strstr(content_of(err_path), ":probe value=100\n"));
}

/* Not for signal handlers: a handler that interrupts it would wait for its own thread. */
static int write_under_a_lock(const char *line, size_t length, void *user)
{
	pthread_mutex_lock(user);
	int result = write_line(line, length, user);

	pthread_mutex_unlock(user);
	return result;
}

static void trace_from_timer(int signal)
{
	(void)signal;
	__atomic_add_fetch(&handler_events, 1, __ATOMIC_RELAXED);
	trace_probe(100000);
}

static void *bring_many(void *none)
{
	bring_events(EVENTS);
	return none;
}

static size_t count_lines(const char *file)
{
	FILE *f = fopen(file, "r");
	char line[256];
	int value;
	size_t count = 0;

	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%*d@%*d.%*d:probe value=%d\n", &value), 1);
		count++;
	}
	fclose(f);
	return count;
}

static void threads_and_handlers_lose_no_line(void **state)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static const struct waymark_host host = { .write = write_under_a_lock, .user = &lock };
	const struct itimerval often = { { 0, 300 }, { 0, 300 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	pthread_t threads[THREADS];

	(void)state;
	signal(SIGPROF, trace_from_timer);
	waymark_set_host(&host);
	setitimer(ITIMER_PROF, &often, NULL);
	for (int i = 0; i < THREADS; i++) {
		pthread_create(&threads[i], NULL, bring_many, NULL);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
	setitimer(ITIMER_PROF, &never, NULL);
	signal(SIGPROF, SIG_IGN);
	assert_int_not_equal(handler_events, 0);
	assert_int_equal(
		count_lines(host_path) + count_lines(err_path), THREADS * EVENTS + handler_events);
}

/* Runs last, because the user's choice of a prefix cannot be undone. */
static void the_users_prefix_wins(void **state)
{
	(void)state;
	waymark_set_host(&own_log);
	waymark_configure("log.prefix=none", &error);
	trace_probe(1);
	assert_string_equal(content_of(host_path), "probe value=1\n");
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_program_writes_the_lines),
		TEST(a_prefix_alone_goes_to_standard_error),
		TEST(a_prefix_that_is_too_long_is_cut),
		TEST(the_users_file_wins),
		TEST(lines_that_the_program_cannot_write_are_counted),
		TEST(events_of_its_function_do_not_call_it_again),
		TEST(threads_and_handlers_lose_no_line),
		TEST(the_users_prefix_wins),
	};

	return cmocka_run_group_tests_name("host", tests, enter_folder, leave_folder);
}
