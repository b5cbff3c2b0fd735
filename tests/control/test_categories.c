/* SPDX-License-Identifier: MIT */
/* Lists of categories, also of unloaded objects, and trace points without free ids. */
#include <string.h>

#include <waymark/control.h>
#include <waymark/site.h>

#include "made.h"
#include "unit.h"

#define BACKENDS (WAYMARK_LOG | WAYMARK_CTF)

static struct waymark_error error;

/* Trace points made at run time: scopes of one category. */
struct points {
	struct waymark_object object;
	struct waymark_category category;
	struct waymark_site *sites;
	struct waymark_event **list;
	struct waymark_arg arg;
	size_t count;
};

/* Returns the texts of a point's event: its name, then `rest`. */
static char *texts_of_point(const char *category, size_t i, const char *rest, size_t size)
{
	char *texts = malloc(128);
	int length = snprintf(texts, 64, "%s:point %zu", category, i);

	memcpy(texts + length, rest, size);
	return texts;
}

static struct points *made_points(const char *category, const char *description, size_t count)
{
	struct points *p = calloc(1, sizeof(*p));

	p->category = (struct waymark_category){ strdup(category), strdup(description), true, 0 };
	p->arg = (struct waymark_arg){ WAYMARK_SIGNED, sizeof(int64_t), 0 };
	p->sites = calloc(count, sizeof(*p->sites));
	p->list = calloc(count, sizeof(*p->list));
	p->count = count;
	for (size_t i = 0; i < count; i++) {
		struct waymark_site *s = &p->sites[i];
		char *name = texts_of_point(category, i, "\0name", sizeof("\0name"));
		char *end = texts_of_point(
			category, i, WAYMARK_SITE_END_TEXTS, sizeof(WAYMARK_SITE_END_TEXTS));

		*s = (struct waymark_site){
			.event = { &s->state, name, "made.c", &p->arg, (uint32_t)i, BACKENDS, 1,
				WAYMARK_EVENT_SITE | WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SCOPE, 0,
				NULL, &s->end },
			.end = { &s->state, end, "made.c", waymark_site_end_args, (uint32_t)i,
				BACKENDS, 2,
				WAYMARK_EVENT_SITE | WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SCOPE_END,
				0, NULL, NULL },
			.category = &p->category,
			.kind = WAYMARK_SITE_SCOPE,
		};
		p->list[i] = &s->event;
	}
	p->object = (struct waymark_object){
		.abi = WAYMARK_ABI, .begin = p->list, .end = p->list + count
	};
	waymark_register(&p->object);
	return p;
}

static void points_gone(struct points *p)
{
	waymark_unregister(&p->object);
	for (size_t i = 0; i < p->count; i++) {
		free((char *)p->sites[i].event.name);
		free((char *)p->sites[i].end.name);
	}
	memset(p->sites, 0xee, p->count * sizeof(*p->sites));
	memset((char *)p->category.name, '!', strlen(p->category.name));
	free((char *)p->category.name);
	free((char *)p->category.description);
	free(p->sites);
	free(p->list);
	free(p);
}

static void without_trace_points_there_is_none(void **state)
{
	struct made *declared = made_registered("plain%d", 3, BACKENDS);
	struct waymark_category_list list = { NULL, 7 };

	(void)state;
	assert_int_equal(waymark_list_categories(&list, &error), 0);
	assert_int_equal(list.count, 0);
	waymark_free_categories(&list);
	made_gone(declared);
}

static void list_is_a_copy_by_name_of_all_objects(void **state)
{
	struct points *net = made_points("Net", "packets", 5);
	struct points *fs = made_points("Fs", "files", 3);
	struct points *plugin = made_points("Net", "packets of a plug-in", 4);
	struct waymark_category_list list;

	(void)state;
	plugin->category.live = 2;
	net->category.live = 1;
	assert_int_equal(waymark_enable("Net:point 4", WAYMARK_LOG, NULL, NULL), 0);
	assert_int_equal(waymark_enable("Fs", WAYMARK_LOG, NULL, NULL), 0);
	assert_int_equal(waymark_list_categories(&list, &error), 0);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	points_gone(net);
	points_gone(fs);
	points_gone(plugin);
	assert_int_equal(list.count, 2);
	assert_string_equal(list.categories[0].name, "Fs");
	assert_int_equal(list.categories[0].events, 3);
	assert_int_equal(list.categories[0].on, 3);
	assert_string_equal(list.categories[1].name, "Net");
	assert_string_equal(list.categories[1].description, "packets");
	assert_int_equal(list.categories[1].events, 9);
	assert_int_equal(list.categories[1].on, 1);
	assert_int_equal(list.categories[1].live, 3);
	assert_true(list.categories[1].compiled_in);
	waymark_free_categories(&list);
	waymark_free_categories(&list);
}

#define MANY 100

/* More categories and texts than fit into the initial memory. */
static void there_may_be_many_and_long_ones(void **state)
{
	struct points *points[MANY];
	struct waymark_category_list list;
	char description[4000];

	(void)state;
	memset(description, 'd', sizeof(description) - 1);
	description[sizeof(description) - 1] = '\0';
	for (int i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "Many%02d", i);
		points[i] = made_points(name, description, 2);
	}
	assert_int_equal(waymark_list_categories(&list, NULL), 0);
	assert_int_equal(list.count, MANY);
	assert_string_equal(list.categories[57].name, "Many57");
	assert_string_equal(list.categories[57].description, description);
	waymark_free_categories(&list);
	for (int i = 0; i < MANY; i++) {
		points_gone(points[i]);
	}
}

static void category_that_is_misspelt_is_suggested(void **state)
{
	struct points *p = made_points("VirtioFs", "files", 1);
	struct waymark_match match;

	(void)state;
	assert_int_equal(waymark_enable("VirtoFs", WAYMARK_LOG, &match, &error), 0);
	assert_int_equal(match.events, 0);
	assert_int_equal(waymark_enable("VirtioFs", WAYMARK_LOG, &match, &error), 0);
	assert_int_equal(match.events, 1);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	points_gone(p);
}

/* Runs last: afterwards this process has no free ids. A scope takes two. */
static void without_ids_for_all_none_is_switched(void **state)
{
	struct points *p = made_points("Many", "too many", 33000);

	(void)state;
	assert_int_equal(waymark_enable("Many", BACKENDS, NULL, &error), -1);
	assert_non_null(strstr(error.text, "nothing is switched: memory or ids ran out for 2"));
	assert_non_null(strstr(error.text, " of 33000 events"));
	assert_int_equal(p->sites[0].state, 0);
	assert_int_equal(p->sites[32999].state, 0);
	/* Points that need no id, or already have one, can still be switched on. */
	assert_int_equal(waymark_enable("Many", WAYMARK_LOG, NULL, &error), 0);
	assert_int_equal(p->sites[32999].state, WAYMARK_LOG);
	assert_int_equal(waymark_enable("Many:point 1", WAYMARK_CTF, NULL, &error), 0);
	assert_int_equal(p->sites[1].state, BACKENDS);
	waymark_disable("*", WAYMARK_ANY_BACKEND, NULL, NULL);
	points_gone(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_trace_points_there_is_none),
		cmocka_unit_test(list_is_a_copy_by_name_of_all_objects),
		cmocka_unit_test(there_may_be_many_and_long_ones),
		cmocka_unit_test(category_that_is_misspelt_is_suggested),
		cmocka_unit_test(without_ids_for_all_none_is_switched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
