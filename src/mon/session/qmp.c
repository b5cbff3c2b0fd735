/* SPDX-License-Identifier: MIT */
/*
 * The dialects of JSON: QMP as in QEMU, and StratoVirt's. A request is an object of
 * execute, arguments and id; an answer has return or error, and the id.
 */
#include <string.h>

#include "base/utf8.h"
#include "mon/session/command.h"
#include "mon/session/dialect.h"
#include "mon/session/session.h"

#define END_OF_LINE "\r\n"

static void send(const struct monitor_session *s, json_t *answer, FILE *out)
{
	if (!answer || json_dumpf(answer, out, s->dialect->json->format) < 0) {
		fputs("{\"error\": {\"class\": \"GenericError\", \"desc\": \"out of memory\"}}",
			out);
	}
	fputs(END_OF_LINE, out);
	json_decref(answer);
}

void qmp_greet(struct monitor_session *s, FILE *out)
{
	send(s, json_pack("{s:{s:o, s:[]}}", "QMP", "version", version_as_json(), "capabilities"),
		out);
}

/* Sends the answer. Takes ownership of `result`, which is NULL if the call failed. */
static void answer(struct call *call, json_t *result, json_t *id, FILE *out)
{
	json_t *reply = result ? json_pack("{s:o}", "return", result)
			       : json_pack("{s:{s:s, s:s}}", "error", "class", call->error_class,
					 "desc", call->error);

	if (reply && id) {
		json_object_set(reply, "id", id);
	}
	send(call->session, reply, out);
}

static bool fail_not_found(struct call *call)
{
	call->error_class = COMMAND_NOT_FOUND;
	return false;
}

/* Checks the names and types of a request's members. */
static bool check_members(struct call *call, json_t *request)
{
	const struct json_rules *rules = call->session->dialect->json;
	const char *name;
	json_t *value;

	json_object_foreach(request, name, value)
	{
		if (strcmp(name, "execute") == 0 && !json_is_string(value)) {
			return call_fail(call, "QMP input member 'execute' must be a string");
		}
		if (strcmp(name, "arguments") == 0 && !json_is_object(value)) {
			return call_fail(call, "QMP input member 'arguments' must be an object");
		}
		if (strcmp(name, "id") == 0 && rules->id_is_string && !json_is_string(value)) {
			return call_fail(call, "QMP input member 'id' must be a string");
		}
		if (strcmp(name, "execute") != 0 && strcmp(name, "arguments") != 0 &&
			strcmp(name, "id") != 0) {
			return call_fail(call, "QMP input member '%.100s' is unexpected", name);
		}
	}
	return json_object_get(request, "execute") ||
	       call_fail(call, "QMP input lacks member 'execute'");
}

/* True if the command may run now: qmp_capabilities must come first, and only once. */
static bool check_negotiation(struct call *call, const char *name)
{
	const struct monitor_session *s = call->session;
	bool negotiates = strcmp(name, "qmp_capabilities") == 0;

	if (!s->negotiated && !negotiates) {
		call_fail(call, "Expecting capabilities negotiation with 'qmp_capabilities'");
		return fail_not_found(call);
	}
	if (s->negotiated && negotiates && s->dialect->json->negotiates) {
		call_fail(call, "Capabilities negotiation is already complete, command ignored");
		return fail_not_found(call);
	}
	return true;
}

/* Some dialects require the member `arguments` even if it is empty. */
static bool check_has_arguments(struct call *call, const json_t *request)
{
	const char *parameters = call->command->parameters;
	struct param p;

	if (!call->session->dialect->json->needs_arguments ||
		json_object_get(request, "arguments")) {
		return true;
	}
	while (param_next(&p, &parameters)) {
		if (!p.optional) {
			return call_fail(call, "QMP input lacks member 'arguments'");
		}
	}
	return true;
}

static bool find_command(struct call *call, json_t *request)
{
	const char *name = member_text(request, "execute");

	if (!check_negotiation(call, name)) {
		return false;
	}
	call->command = command_find(name, call->session->dialect->bit);
	if (!call->command) {
		call_fail(call, "The command %.100s has not been found", name);
		return fail_not_found(call);
	}
	return check_has_arguments(call, request);
}

static json_t *run(struct call *call, json_t *request)
{
	if (!json_is_object(request)) {
		return call_fail(call, "QMP input must be a JSON object");
	}
	if (!check_members(call, request) || !find_command(call, request)) {
		return NULL;
	}
	json_t *none = json_object();
	json_t *given = json_object_get(request, "arguments");

	call->arguments = given ? given : none;
	json_t *result = call->arguments && command_check(call) ? call->command->run(call) : NULL;

	json_decref(none);
	return result || call->error_class ? result : call_fail(call, "out of memory");
}

/*
 * Fails with jansson's error. Replaces its text where QMP has its own, or where the text is about
 * jansson.
 */
static void fail_parse(struct call *call, const json_error_t *error)
{
	const char *text = error->text;

	switch (json_error_code(error)) {
	case json_error_duplicate_key:
		text = "duplicate key";
		break;
	case json_error_null_character:
	case json_error_null_byte_in_key:
		text = "\\u0000 is not supported in strings";
		break;
	default:
		break;
	}
	call_fail(call, "JSON parse error, %s", text);
}

/* Answers one value; returns -1 to close the connection. */
static int take_value(struct monitor_session *s, FILE *out)
{
	struct call call = { .session = s };
	json_error_t error;
	bool is_text = utf8_invalid(s->scan.text, s->scan.length) == s->scan.length;
	json_t *request = is_text ? json_loadb(s->scan.text, s->scan.length,
					    JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error)
				  : NULL;
	json_t *result = NULL;

	if (request) {
		result = run(&call, request);
	} else if (is_text) {
		fail_parse(&call, &error);
	} else {
		call_fail(&call, "JSON parse error, the input is not UTF-8");
	}
	json_t *id = json_is_object(request) ? json_object_get(request, "id") : NULL;

	if (s->dialect->json->id_is_string && !json_is_string(id)) {
		id = NULL;
	}
	answer(&call, result, id, out);
	if (!json_is_object(request)) {
		json_scan_skip(&s->scan);
	}
	json_decref(request);
	return is_text && !s->ended ? 0 : -1;
}

static int take(struct monitor_session *s, enum json_found found, FILE *out)
{
	struct call call = { .session = s };

	if (found == JSON_VALUE) {
		return take_value(s, out);
	}
	if (found == JSON_BROKEN) {
		call_fail(&call, "JSON parse error, a control character in a string");
	} else if (found == JSON_TOO_LONG) {
		call_fail(&call, "JSON parse error, more than %u bytes or nested too deep",
			SESSION_COMMAND_MAX);
	} else {
		call_fail(&call, "out of memory");
	}
	answer(&call, NULL, NULL, out);
	return found == JSON_BROKEN ? 0 : -1;
}

int qmp_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out)
{
	const char *end = bytes + size;
	int result = 0;

	while (result == 0 && bytes < end) {
		enum json_found found = json_scan(&s->scan, &bytes, end, SESSION_COMMAND_MAX);

		if (found != JSON_NOTHING) {
			result = take(s, found, out);
		}
	}
	return result;
}

json_t *capabilities(struct call *call)
{
	if (json_array_size(json_object_get(call->arguments, "enable"))) {
		return call_fail(call, "there are no capabilities to enable");
	}
	call->session->negotiated = true;
	return json_object();
}
