/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a client's input to the monitor; the first byte chooses the dialect.
 * Answers must not depend on where the input is cut into pieces, and answers of JSON
 * dialects must be JSON. The controlled process is a stub, so that nothing is written.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/vcpu.h>

#include "base/compiler.h"
#include "mon/session/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct waymark_event_info toys[] = {
	{ .name = "toy_one",
		.backends = WAYMARK_CTF | WAYMARK_LOG,
		.condition = "",
		.limits = "",
		.fields = "x y" },
	{ .name = "toy_two",
		.backends = WAYMARK_LOG,
		.state = WAYMARK_LOG,
		.condition = "",
		.limits = "",
		.fields = "x y" },
	{ .name = "probe",
		.backends = WAYMARK_DTRACE,
		.condition = "",
		.limits = "",
		.fields = "x y" },
	{ .name = "vtoy",
		.backends = WAYMARK_CTF,
		.state = WAYMARK_CTF,
		.vcpu = true,
		.condition = "",
		.limits = "",
		.fields = "x y" },
};

/* Matches more than a real program would: compares only the first character. */
int waymark_list_triggers(struct waymark_trigger_list *list, struct waymark_error *error)
{
	static struct waymark_trigger_info one = {
		.text = "when toy_one then stop", .fired = 3, .forgotten = 2
	};

	(void)error;
	*list = (struct waymark_trigger_list){ &one, 1 };
	return 0;
}

void waymark_free_triggers(struct waymark_trigger_list *list)
{
	(void)list;
}

static int toy(const char *text, struct waymark_error *error)
{
	if (error) {
		snprintf(error->text, sizeof(error->text), "toy: %.100s", text ? text : "nothing");
	}
	return text && strchr(text, '!') ? -1 : 0;
}

int waymark_list_events(
	const char *pattern, struct waymark_event_list *list, struct waymark_error *error)
{
	*list = (struct waymark_event_list){ calloc(ARRAY_SIZE(toys), sizeof(toys[0])), 0 };
	if (pattern && *pattern == '/' && strchr(pattern, '(')) {
		toy("no regular expression", error);
		waymark_free_events(list);
		return -1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(toys); i++) {
		if (!pattern || strchr("*?/", *pattern) || *pattern == toys[i].name[0]) {
			list->events[list->count++] = toys[i];
		}
	}
	return 0;
}

/* There are vCPUs with even indices. */
void *waymark_vcpu_find(unsigned int index)
{
	return index % 2 || index > 8 ? NULL : (void *)toys;
}

static bool vcpu_is_known(unsigned int index)
{
	return index == WAYMARK_VCPU_LATER || waymark_vcpu_find(index);
}

int waymark_vcpu_list_events(unsigned int index, const char *pattern,
	struct waymark_event_list *list, struct waymark_error *error)
{
	size_t count = 0;

	if (!vcpu_is_known(index) || waymark_list_events(pattern, list, error) < 0) {
		abort(); /* impossible arguments are refused earlier */
	}
	for (size_t i = 0; i < list->count; i++) {
		if (list->events[i].vcpu) {
			list->events[count++] = list->events[i];
		}
	}
	list->count = count;
	return 0;
}

int waymark_vcpu_set_states(
	unsigned int index, const char *pattern, bool on, struct waymark_error *error)
{
	(void)on;
	return vcpu_is_known(index) ? toy(pattern, error) : -1;
}

void waymark_free_events(struct waymark_event_list *list)
{
	free(list->events);
	*list = (struct waymark_event_list){ 0 };
}

int waymark_list_categories(struct waymark_category_list *list, struct waymark_error *error)
{
	(void)error;
	*list = (struct waymark_category_list){ calloc(1, sizeof(*list->categories)), 1 };
	list->categories[0].name = "Toy";
	list->categories[0].description = "a \"toy\"";
	return 0;
}

void waymark_free_categories(struct waymark_category_list *list)
{
	free(list->categories);
}

int waymark_list_threads(struct waymark_thread_list *list, struct waymark_error *error)
{
	(void)error;
	*list = (struct waymark_thread_list){ calloc(1, sizeof(*list->threads)), 1 };
	return 0;
}

void waymark_free_threads(struct waymark_thread_list *list)
{
	free(list->threads);
}

int waymark_get_output(
	const char *backend, struct waymark_output *output, struct waymark_error *error)
{
	*output = (struct waymark_output){ .backend = "ctf", .path = "/toy" };
	if (error) {
		snprintf(error->text, sizeof(error->text), "toy: no such backend");
	}
	return backend && strcmp(backend, "ctf") != 0 ? -1 : 0;
}

int waymark_snapshot_to(const char *directory, struct waymark_error *error)
{
	return toy(directory, error);
}

int waymark_configure(const char *options, struct waymark_error *error)
{
	return toy(options, error);
}

int waymark_enable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error)
{
	(void)backends;
	(void)match;
	return toy(pattern, error);
}

int waymark_disable(const char *pattern, unsigned int backends, struct waymark_match *match,
	struct waymark_error *error)
{
	return waymark_enable(pattern, backends, match, error);
}

int waymark_set_states(const char *const *names, size_t count, unsigned int backends, bool on,
	struct waymark_error *error)
{
	(void)backends;
	(void)on;
	return toy(count ? names[count - 1] : NULL, error);
}

struct waymark_terms {
	char any;
};

struct waymark_terms *waymark_open_terms(const char *rule, struct waymark_event_list *list,
	struct waymark_match *match, struct waymark_error *error)
{
	(void)match;
	*list = (struct waymark_event_list){ 0 };
	return toy(rule, error) == 0 && waymark_list_events(rule, list, error) == 0
		       ? calloc(1, sizeof(struct waymark_terms))
		       : NULL;
}

void waymark_close_terms(struct waymark_terms *terms)
{
	free(terms);
}

int waymark_set_states_under(const struct waymark_terms *terms, const char *const *names,
	size_t count, unsigned int backends, struct waymark_error *error)
{
	(void)terms;
	return waymark_set_states(names, count, backends, true, error);
}

int waymark_set_output(const char *backend, const char *path, struct waymark_error *error)
{
	(void)backend;
	return toy(path, error);
}

int waymark_set_output_on(const char *backend, bool on, bool *was_on, struct waymark_error *error)
{
	(void)on;
	(void)was_on;
	return toy(backend, error);
}

int waymark_flush(struct waymark_error *error)
{
	return toy(NULL, error);
}

int waymark_count_events(bool on, struct waymark_error *error)
{
	(void)error;
	return on ? 0 : -1;
}

void waymark_get_stats(struct waymark_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
}

/* Returns the session's answers to the bytes, fed in pieces of that size; the caller frees them. */
static char *converse(enum waymark_monitor_mode mode, const char *bytes, size_t size, size_t piece)
{
	const struct waymark_monitor_options options = { .mode = mode };
	struct monitor_session *s = session_create(&options);
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	int result = 0;

	session_greet(s, out);
	while (result == 0 && size) {
		size_t n = size < piece ? size : piece;

		result = session_feed(s, bytes, n, out);
		bytes += n;
		size -= n;
	}
	session_destroy(s);
	fclose(out);
	return text;
}

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static void check_lines(char *text)
{
	char *at = NULL;

	for (char *line = strtok_r(text, "\r\n", &at); line; line = strtok_r(NULL, "\r\n", &at)) {
		json_t *answer = json_loads(line, 0, NULL);

		require(json_is_object(answer));
		json_decref(answer);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum waymark_monitor_mode modes[] = { WAYMARK_MONITOR_QMP, WAYMARK_MONITOR_HMP,
		WAYMARK_MONITOR_STRATOVIRT, WAYMARK_MONITOR_STRATOVIRT_2023 };

	if (size < 2) {
		return 0;
	}
	enum waymark_monitor_mode mode = modes[data[0] % 4];
	const char *bytes = (const char *)data + 1;
	char *whole = converse(mode, bytes, size - 1, size);
	char *cut = converse(mode, bytes, size - 1, 1 + data[0] / 3);

	require(strcmp(whole, cut) == 0);
	if (mode != WAYMARK_MONITOR_HMP) {
		check_lines(whole);
	}
	free(cut);
	free(whole);
	return 0;
}
