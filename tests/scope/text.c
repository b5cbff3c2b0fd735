/* SPDX-License-Identifier: MIT */
/*
 * Scopes as the runtime passes them to text backends: marks, ids, places, and the message of an
 * asynchronous scope, which is kept until its end, for any length and number. The end of a copied
 * scope finds no message if another copy has ended before.
 */
#include <pthread.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <waymark/record_scope.h>

#define MANY 3000
#define LONG 5000
#define THREADS 4

static struct waymark_event event = { .name = "reserve\0reserve {:#x} bytes\0" };
static struct waymark_event of_text = { .name = "render\0data {}\0" };

static void never(const struct waymark_scope *scope)
{
	(void)scope;
}

static struct waymark_scope start(uint64_t size)
{
	struct waymark_debug value = waymark_debug_u64(size);
	struct waymark_message m = waymark_message_of(&value, 1, "machine.c", 12);
	struct waymark_scope s = waymark_scope_start(WAYMARK_LOG, never);

	waymark_scope_begins(&s, &event, &m);
	assert_int_equal(m.mark, WAYMARK_MARK_ASYNC_START);
	assert_int_equal(m.id, s.id);
	return s;
}

static void end(const struct waymark_scope *s, const char *text)
{
	struct waymark_message m = waymark_scope_ends(s);

	assert_int_equal(m.mark, WAYMARK_MARK_ASYNC_END);
	assert_int_equal(m.id, s->id);
	assert_string_equal(m.file, "machine.c");
	assert_int_equal(m.line, 12);
	assert_int_equal(m.length, strlen(text));
	assert_memory_equal(m.text, text, m.length);
	waymark_scope_ended(s, &m);
}

static void synchronous_scopes_keep_nothing(void **state)
{
	(void)state;
	struct waymark_debug value = waymark_debug_u64(1);
	struct waymark_message m = waymark_message_of(&value, 1, "machine.c", 12);
	struct waymark_scope s = waymark_scope_of(waymark_scope_token(WAYMARK_LOG));

	waymark_scope_begins(&s, &event, &m);
	assert_int_equal(m.mark, WAYMARK_MARK_START);
	assert_int_equal(s.text, 0);
	m = waymark_scope_ends(&s);
	assert_int_equal(m.mark, WAYMARK_MARK_END);
	assert_int_equal(m.length, 0);
	waymark_scope_ended(&s, &m);
}

static void a_message_is_kept_for_the_end(void **state)
{
	(void)state;
	struct waymark_scope s = start(4096);

	end(&s, "reserve 0x1000 bytes");
	end(&s, ""); /* as if by a copy */
	struct waymark_scope other = start(1);

	end(&s, "");
	end(&other, "reserve 0x1 bytes");
}

static void a_long_message_is_kept_whole(void **state)
{
	(void)state;
	char *text = malloc(LONG);

	memset(text, 'x', LONG);
	struct waymark_debug value = waymark_debug_text(text, LONG);
	struct waymark_message m = waymark_message_of(&value, 1, NULL, 0);
	struct waymark_scope s = waymark_scope_start(WAYMARK_LOG, never);

	waymark_scope_begins(&s, &of_text, &m);
	m = waymark_scope_ends(&s);
	assert_int_equal(m.length, LONG + strlen("data "));
	assert_memory_equal(m.text + strlen("data "), text, LONG);
	waymark_scope_ended(&s, &m);
	free(text);
}

/* No line shows more: a message of 1 GiB takes neither its memory nor its time. */
static void of_an_endless_message_the_beginning_is_kept(void **state)
{
	(void)state;
	size_t length = (size_t)1 << 30;
	char *text = mmap(NULL, length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct waymark_debug value = waymark_debug_text(text, length);
	struct waymark_message m = waymark_message_of(&value, 1, NULL, 0);
	struct waymark_scope s = waymark_scope_start(WAYMARK_LOG, never);

	assert_ptr_not_equal(text, MAP_FAILED);
	waymark_scope_begins(&s, &of_text, &m);
	m = waymark_scope_ends(&s);
	assert_in_range(m.length, 8000, 8192);
	waymark_scope_ended(&s, &m);
	munmap(text, length);
}

static void *begin_and_end(void *arg)
{
	struct waymark_scope *scopes = calloc(MANY, sizeof(*scopes));
	char text[64];
	uint64_t first = *(const uint64_t *)arg;

	for (int round = 0; round < 10; round++) {
		for (uint64_t i = 0; i < MANY; i++) {
			scopes[i] = start(first + i);
		}
		for (uint64_t i = 0; i < MANY; i++) {
			snprintf(text, sizeof(text), "reserve %#llx bytes",
				(unsigned long long)(first + i));
			end(&scopes[i], text);
		}
	}
	free(scopes);
	return NULL;
}

static void many_are_kept_by_threads_at_once(void **state)
{
	(void)state;
	pthread_t threads[THREADS];
	uint64_t first[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		first[i] = 1 + i * MANY;
		pthread_create(&threads[i], NULL, begin_and_end, &first[i]);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
	}
}

static void where_no_room_is_left_the_end_has_no_message(void **state)
{
	(void)state;
	size_t count = 70000;
	struct waymark_scope *scopes = calloc(count, sizeof(*scopes));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		scopes[i] = start(1);
		kept += scopes[i].text != 0;
	}
	assert_int_equal(kept, 65536);
	for (size_t i = 0; i < count; i++) {
		end(&scopes[i], scopes[i].text ? "reserve 0x1 bytes" : "");
	}
	struct waymark_scope s = start(2);

	end(&s, "reserve 0x2 bytes");
	free(scopes);
}

static void ids_of_asynchronous_scopes_count(void **state)
{
	(void)state;
	struct waymark_scope first = start(1);
	struct waymark_scope second = start(2);

	assert_true(first.id >= INT32_MIN && first.id <= INT32_MAX);
	assert_int_equal(second.id, first.id + 1);
	end(&second, "reserve 0x2 bytes");
	end(&first, "reserve 0x1 bytes");
	assert_true(waymark_scope_start(0, never).end == NULL);
}

static void ids_of_blocks_are_never_given_twice(void **state)
{
	(void)state;
	uint64_t before = 0;

	assert_int_equal(waymark_scope_token(0), 0);
	for (int i = 0; i < 200000; i++) {
		uint64_t token = waymark_scope_token(WAYMARK_LOG | WAYMARK_CTF);
		uint64_t id = (uint64_t)waymark_scope_id(token);

		assert_int_equal(waymark_scope_backends(token), WAYMARK_LOG | WAYMARK_CTF);
		assert_true(id > before && id >= UINT64_C(1) << 32 && id < UINT64_C(1) << 48);
		assert_true((uint16_t)id >= 256);
		before = id;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronous_scopes_keep_nothing),
		cmocka_unit_test(a_message_is_kept_for_the_end),
		cmocka_unit_test(a_long_message_is_kept_whole),
		cmocka_unit_test(of_an_endless_message_the_beginning_is_kept),
		cmocka_unit_test(many_are_kept_by_threads_at_once),
		cmocka_unit_test(ids_of_asynchronous_scopes_count),
		cmocka_unit_test(ids_of_blocks_are_never_given_twice),
		cmocka_unit_test(where_no_room_is_left_the_end_has_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
