/* SPDX-License-Identifier: MIT */
/* For tests of the simpletrace reader: builds a trace, and opens a reader of it. */
#ifndef TESTS_SIMPLE_FIXTURE_H
#define TESTS_SIMPLE_FIXTURE_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "read/reader.h"
#include "trace_bytes.h"

static const char simple_events[] = "off(int a) \"%d\"\n"
				    "numbers(uint32_t a, int64_t b) \"%u %ld\"\n"
				    "text(const char *s, int n) \"%s %d\"\n"
				    "nothing(void) \"\"\n";

struct fixture {
	struct model model;
	struct trace_bytes trace;
	struct reader *reader;
	struct record rec;
	int fd;
};

static inline int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	model_init(&f->model);
	assert_true(declare(&f->model, simple_events));
	f->fd = -1;
	*state = f;
	return 0;
}

static inline int teardown(void **state)
{
	struct fixture *f = *state;

	reader_close(f->reader);
	model_fini(&f->model);
	vec_fini(&f->trace.bytes);
	if (f->fd >= 0) {
		close(f->fd);
	}
	free(f);
	return 0;
}

static inline void open_part(struct fixture *f, size_t n)
{
	const struct reader_options options = { .declarations = &f->model };
	struct read_error error;

	f->fd = bytes_fd(&f->trace, n);
	f->reader = reader_open_fd(f->fd, &options, &error);
}

static inline void close_part(struct fixture *f)
{
	reader_close(f->reader);
	f->reader = NULL;
	close(f->fd);
	f->fd = -1;
}

static inline void open_all(struct fixture *f)
{
	open_part(f, f->trace.bytes.count);
	assert_non_null(f->reader);
}

static inline enum read_result next(struct fixture *f)
{
	return reader_next(f->reader, &f->rec);
}

static inline void assert_says(const struct fixture *f, const char *part)
{
	if (!strstr(f->reader->error.text, part)) {
		fail_msg("'%s' does not say '%s'", f->reader->error.text, part);
	}
}

static inline void put_numbers(struct fixture *f, unsigned int version, uint64_t ns)
{
	begin_record(&f->trace, version, 1, ns);
	put64(&f->trace, 0xffffffff);
	put64(&f->trace, (uint64_t)-5);
	end_record(&f->trace);
}

static inline void put_text(struct fixture *f, unsigned int version, const char *s)
{
	begin_record(&f->trace, version, 2, 2000);
	put_string(&f->trace, s);
	put64(&f->trace, 42);
	end_record(&f->trace);
}

static inline void put_gap(struct fixture *f, unsigned int version, uint64_t lost)
{
	begin_record(&f->trace, version, SIMPLE_DROPPED_ID, 3000);
	put64(&f->trace, lost);
	end_record(&f->trace);
}

static inline void put_trace(struct fixture *f, unsigned int version)
{
	put_header(&f->trace, version);
	if (version == 4) {
		put_mapping(&f->trace, 1, "numbers");
		put_mapping(&f->trace, 2, "text");
	}
	put_numbers(f, version, 1000);
	put_text(f, version, "abc");
	put_gap(f, version, 17);
}

static inline void assert_numbers(struct fixture *f, uint64_t ns)
{
	assert_int_equal(next(f), READ_RECORD);
	assert_int_equal(f->rec.kind, RECORD_EVENT);
	assert_string_equal(f->rec.class->name, "numbers");
	assert_int_equal(f->rec.ns, ns);
	const struct value *v = reader_values(f->reader, &f->rec);

	assert_int_equal(v[0].number, 0xffffffff);
	assert_int_equal(v[1].number, (uint64_t)-5);
}

static inline void assert_text(struct fixture *f, const char *s)
{
	assert_int_equal(next(f), READ_RECORD);
	assert_string_equal(f->rec.class->name, "text");
	const struct value *v = reader_values(f->reader, &f->rec);

	assert_int_equal(v[0].length, strlen(s));
	assert_memory_equal(v[0].text, s, strlen(s));
	assert_int_equal(v[1].number, 42);
}

static inline void put_v0(struct trace_bytes *t, uint64_t id, uint64_t ns)
{
	put64(t, id);
	put64(t, ns);
	for (uint64_t i = 1; i <= 6; i++) {
		put64(t, 100 * i);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
