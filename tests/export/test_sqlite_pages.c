/* SPDX-License-Identifier: MIT */
/*
 * Rows that sqlite_pages.c stores are those that SQLite reads: of every size around the limits of a
 * page, in trees of every shape, and around the page of SQLite's locks.
 */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/compiler.h"
#include "view/export/sqlite_pages.h"

#define TABLES_MAX 64

/* A database with tables t0, t1 and so on. */
struct database {
	char path[64];
	int fd;
	struct sqlite_pages pages;
	struct sqlite_tree trees[TABLES_MAX];
	size_t tables;
	const char *columns;
	struct sqlite_row row;
	sqlite3 *db;
};

static void run(struct database *d, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(d->db, sql, NULL, NULL, &error) != SQLITE_OK) {
		fail_msg("%s: %s", sql, error);
	}
}

static void begin(struct database *d, size_t tables, const char *columns)
{
	*d = (struct database){
		.path = "/tmp/waymark-pages-XXXXXX", .tables = tables, .columns = columns
	};
	d->fd = mkstemp(d->path);
	assert_true(d->fd >= 0);
	assert_int_equal(sqlite3_open(d->path, &d->db), SQLITE_OK);
	run(d, "PRAGMA page_size = 4096; BEGIN EXCLUSIVE; COMMIT");
	sqlite3_close(d->db);
	sqlite_pages_begin(&d->pages, d->fd);
	sqlite_row_init(&d->row);
}

/* Ends the file and opens it. */
static void end(struct database *d)
{
	uint32_t roots[TABLES_MAX];

	for (size_t i = 0; i < d->tables; i++) {
		sqlite_tree_end(&d->trees[i], &d->pages);
	}
	assert_int_equal(sqlite_pages_end(&d->pages), 0);
	assert_int_equal(sqlite3_open(d->path, &d->db), SQLITE_OK);
	for (size_t i = 0; i < d->tables; i++) {
		char *sql = sqlite3_mprintf("CREATE TABLE t%d (%s)", (int)i, d->columns);
		sqlite3_stmt *select;

		run(d, sql);
		sqlite3_free(sql);
		sqlite3_prepare_v2(d->db, "SELECT rootpage FROM sqlite_schema ORDER BY rowid DESC",
			-1, &select, NULL);
		assert_int_equal(sqlite3_step(select), SQLITE_ROW);
		roots[i] = (uint32_t)sqlite3_column_int64(select, 0);
		sqlite3_finalize(select);
	}
	sqlite3_close(d->db);
	for (size_t i = 0; i < d->tables; i++) {
		assert_int_equal(sqlite_tree_put_root(&d->trees[i], d->fd, roots[i]), 0);
		sqlite_tree_fini(&d->trees[i]);
	}
	assert_int_equal(sqlite3_open(d->path, &d->db), SQLITE_OK);
}

static void close_all(struct database *d)
{
	sqlite3_close(d->db);
	sqlite_row_fini(&d->row);
	close(d->fd);
	unlink(d->path);
}

/* Returns the statement at its first row. */
static sqlite3_stmt *ask(struct database *d, const char *sql)
{
	sqlite3_stmt *select;

	if (sqlite3_prepare_v2(d->db, sql, -1, &select, NULL) != SQLITE_OK) {
		fail_msg("%s: %s", sql, sqlite3_errmsg(d->db));
	}
	assert_int_equal(sqlite3_step(select), SQLITE_ROW);
	return select;
}

static int64_t number_of(struct database *d, const char *sql)
{
	sqlite3_stmt *select = ask(d, sql);
	int64_t number = sqlite3_column_int64(select, 0);

	sqlite3_finalize(select);
	return number;
}

static void check_integrity(struct database *d)
{
	sqlite3_stmt *select = ask(d, "PRAGMA integrity_check");

	assert_string_equal((const char *)sqlite3_column_text(select, 0), "ok");
	sqlite3_finalize(select);
}

/* Adds a row with a text of `length` bytes that depends on its number. */
static void add_text(struct database *d, size_t table, int64_t number, size_t length)
{
	char *text = malloc(length + 1);

	for (size_t i = 0; i < length; i++) {
		text[i] = (char)('a' + ((size_t)number * 7 + i) % 26);
	}
	sqlite_row_begin(&d->row);
	sqlite_row_bytes(&d->row, DATABASE_TEXT, text, length);
	sqlite_tree_add(&d->trees[table], &d->pages, number, &d->row);
	free(text);
}

static void check_text(sqlite3_stmt *select, int64_t number, size_t length)
{
	const char *text = (const char *)sqlite3_column_text(select, 1);

	assert_int_equal(sqlite3_column_int64(select, 0), number);
	assert_int_equal(sqlite3_column_bytes(select, 1), length);
	for (size_t i = 0; i < length; i++) {
		assert_int_equal(text[i], 'a' + ((size_t)number * 7 + i) % 26);
	}
}

static const int64_t integers[] = { 0, 1, -1, 2, 127, 128, -128, -129, 32767, 32768, -32768, -32769,
	8388607, 8388608, -8388608, -8388609, INT32_MAX, INT32_MAX + INT64_C(1), INT32_MIN,
	INT32_MIN - INT64_C(1), (INT64_C(1) << 39) - 1, INT64_C(1) << 39, (INT64_C(1) << 47) - 1,
	INT64_C(1) << 47, -(INT64_C(1) << 47), -(INT64_C(1) << 47) - 1, INT64_MAX, INT64_MIN };

static void test_integers(void **state)
{
	struct database d;

	(void)state;
	begin(&d, 1, "v");
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		sqlite_row_begin(&d.row);
		sqlite_row_integer(&d.row, integers[i]);
		sqlite_tree_add(&d.trees[0], &d.pages, (int64_t)i + 1, &d.row);
	}
	end(&d);
	check_integrity(&d);
	sqlite3_stmt *select = ask(&d, "SELECT v, typeof(v) FROM t0 ORDER BY rowid");

	for (size_t i = 0; i < ARRAY_SIZE(integers); i++) {
		assert_int_equal(sqlite3_column_int64(select, 0), integers[i]);
		assert_string_equal((const char *)sqlite3_column_text(select, 1), "integer");
		assert_int_equal(sqlite3_step(select),
			i + 1 < ARRAY_SIZE(integers) ? SQLITE_ROW : SQLITE_DONE);
	}
	sqlite3_finalize(select);
	close_all(&d);
}

static void test_other_values(void **state)
{
	struct database d;

	(void)state;
	begin(&d, 1, "a, b, c, d, e, f, g");
	sqlite_row_begin(&d.row);
	sqlite_row_real(&d.row, -0.5);
	sqlite_row_real(&d.row, NAN);
	sqlite_row_real(&d.row, INFINITY);
	sqlite_row_text(&d.row, "");
	sqlite_row_text(&d.row, NULL);
	sqlite_row_bytes(&d.row, DATABASE_BLOB, "\0\xff", 2);
	sqlite_row_number(&d.row, false, 5);
	sqlite_tree_add(&d.trees[0], &d.pages, 7, &d.row);
	end(&d);
	check_integrity(&d);
	assert_int_equal(number_of(&d, "SELECT a = -0.5 AND typeof(a) = 'real' AND b IS NULL AND "
				       "c = 9e999 AND d = '' AND e IS NULL AND f = x'00ff' AND "
				       "g IS NULL AND rowid = 7 FROM t0"),
		1);
	close_all(&d);
}

/* A header of more than 127 bytes has a longer number. */
static void test_many_columns(void **state)
{
	enum { COLUMNS = 200 };
	struct database d;
	char columns[COLUMNS * 8] = "";

	(void)state;
	for (int i = 0; i < COLUMNS; i++) {
		sprintf(columns + strlen(columns), "%sc%d", i ? "," : "", i);
	}
	begin(&d, 3, columns);
	for (size_t table = 0; table < 3; table++) {
		sqlite_row_begin(&d.row);
		for (size_t i = 0; i < 125 + table; i++) {
			sqlite_row_integer(&d.row, (int64_t)i);
		}
		sqlite_tree_add(&d.trees[table], &d.pages, 1, &d.row);
	}
	end(&d);
	check_integrity(&d);
	assert_int_equal(number_of(&d, "SELECT c124 FROM t0 WHERE c125 IS NULL"), 124);
	assert_int_equal(number_of(&d, "SELECT c125 FROM t1 WHERE c126 IS NULL"), 125);
	assert_int_equal(number_of(&d, "SELECT c126 FROM t2 WHERE c127 IS NULL"), 126);
	close_all(&d);
}

/* Sizes around those at which a row needs one more page of its own. */
static void test_long_rows(void **state)
{
	static const size_t near[] = { 0, 480, 4050, 8140, 12240, 65536, 200000 };
	struct database d;
	int64_t number = 0;

	(void)state;
	begin(&d, 1, "text");
	for (size_t i = 0; i < ARRAY_SIZE(near); i++) {
		for (size_t more = 0; more < 40; more++) {
			add_text(&d, 0, ++number, near[i] + more);
		}
	}
	end(&d);
	check_integrity(&d);
	sqlite3_stmt *select = ask(&d, "SELECT rowid, text FROM t0 ORDER BY rowid");

	for (int64_t i = 0; i < number; i++) {
		check_text(select, i + 1, near[i / 40] + (size_t)i % 40);
		sqlite3_step(select);
	}
	sqlite3_finalize(select);
	close_all(&d);
}

/* Trees of each number of leaves up to 8, and around the numbers at which inner pages are full. */
static void test_shapes(void **state)
{
	struct database d;
	size_t rows[TABLES_MAX];

	(void)state;
	begin(&d, TABLES_MAX, "text");
	for (size_t i = 0; i < TABLES_MAX; i++) {
		rows[i] = i < 9 ? i : i < 36 ? 440 + i : 900 + i;
		for (size_t row = 0; row < rows[i]; row++) { /* one in each leaf */
			add_text(&d, i, (int64_t)(row * 3 + 100), 2100);
		}
	}
	end(&d);
	check_integrity(&d);
	for (size_t i = 0; i < TABLES_MAX; i++) {
		char *sql = sqlite3_mprintf("SELECT count(*) FROM t%d", (int)i);

		assert_int_equal(number_of(&d, sql), rows[i]);
		sqlite3_free(sql);
		for (size_t row = 0; row < rows[i]; row += 50) {
			sql = sqlite3_mprintf("SELECT rowid, text FROM t%d WHERE rowid = %d",
				(int)i, row * 3 + 100);
			sqlite3_stmt *select = ask(&d, sql);

			check_text(select, (int64_t)(row * 3 + 100), 2100);
			sqlite3_finalize(select);
			sqlite3_free(sql);
		}
	}
	close_all(&d);
}

/* Returns the pages that no table uses, by SQLite's messages; fails at any other message. */
static int64_t unused_pages(struct database *d)
{
	sqlite3_stmt *select = ask(d, "PRAGMA integrity_check(1000000)");
	int64_t unused = 0;

	do {
		const char *text = (const char *)sqlite3_column_text(select, 0);

		while (*text) {
			size_t length = strcspn(text, "\n");
			bool is_unused = memmem(text, length, "never used", 10) != NULL;

			if (!is_unused && strncmp(text, "***", 3) != 0) {
				fail_msg("%.*s", (int)length, text);
			}
			unused += is_unused;
			text += length + (text[length] != '\0');
		}
	} while (sqlite3_step(select) == SQLITE_ROW);
	sqlite3_finalize(select);
	return unused;
}

/* The file is sparse before the page of the locks: its pages are unused, and that page is none. */
static void test_lock_page(void **state)
{
	const uint32_t before = DATABASE_LOCK_PAGE - 30;

	(void)state;
	for (size_t length = 100; length < 20000; length += 6200) {
		struct database d;
		const size_t rows = 2400;

		begin(&d, 2, "text");
		d.pages.count = before;
		assert_true(lseek(d.fd, (off_t)before * DATABASE_PAGE, SEEK_SET) > 0);
		for (size_t i = 1; i <= rows; i++) {
			add_text(&d, i % 2, (int64_t)i, length);
		}
		end(&d);
		assert_int_equal(unused_pages(&d), before - 1);
		assert_int_equal(number_of(&d, "SELECT count(*) + sum(length(text)) FROM "
					       "(SELECT * FROM t0 UNION ALL SELECT * FROM t1)"),
			rows * (length + 1));
		close_all(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_other_values),
		cmocka_unit_test(test_many_columns),
		cmocka_unit_test(test_long_rows),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_lock_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
