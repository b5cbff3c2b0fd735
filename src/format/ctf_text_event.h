/* SPDX-License-Identifier: MIT */
/*
 * Writes events of the native trace's metadata (format/ctf_text.h): the declaration, as a comment
 * in its own language, and the fields that readers of CTF need.
 */
#ifndef FORMAT_CTF_TEXT_EVENT_H
#define FORMAT_CTF_TEXT_EVENT_H

#include "format/ctf_text.h"

/* In the order of enum waymark_kind. */
enum ctf_text_kind {
	CTF_TEXT_UNSIGNED,
	CTF_TEXT_SIGNED,
	CTF_TEXT_POINTER,
	CTF_TEXT_STRING,
	CTF_TEXT_FLOAT,
	CTF_TEXT_TEXT,
	CTF_TEXT_BYTES,
	CTF_TEXT_DEBUG,
};

struct ctf_text_arg {
	const char *name;
	const char *type; /* as declared */
	uint8_t kind; /* of enum ctf_text_kind */
	uint8_t size; /* bytes of a number: 1, 2, 4, 8 or 16 */
};

/* The language of a declaration, and in TOML its list. */
enum ctf_text_style { CTF_TEXT_PRINTF, CTF_TEXT_TOML_EVENT, CTF_TEXT_TOML_SCOPE };

struct ctf_text_event {
	uint16_t id;
	enum ctf_text_style style;
	const char *name;
	const char *format; /* as declared, in C syntax; "": none; or the message of TOML */
	const char *meaning; /* statements `@enum op 0=read`, each with a newline; "": none */
	const char *file;
	uint32_t line;
	const struct ctf_text_arg *args; /* for a scope, the first is its number, which we add */
	size_t arg_count;
};

/* clang-format off */

/* Holes: id, name. The fields follow, then ctf_text_event_end. */
static const char ctf_text_event_begin[] =
	"event { id = ${id}; name = \"${name}\"; stream_id = 0; fields := struct {";
static const char ctf_text_event_end[] = " }; };\n";

/*
 * Templates by kind. Holes: bits, name; size, length, kind are these words with the number of `_`
 * that makes "_<name>_<word>" differ from the arguments' names.
 */
static const char *const ctf_text_fields[] = {
	[CTF_TEXT_UNSIGNED] = " uint${bits}_t _${name};",
	[CTF_TEXT_SIGNED] = " int${bits}_t _${name};",
	[CTF_TEXT_POINTER] = " pointer${bits}_t _${name};",
	[CTF_TEXT_STRING] =
		" uint32_t _${name}_${length}; utf8_t _${name}[_${name}_${length}];",
	[CTF_TEXT_FLOAT] = " float${bits}_t _${name};",
	[CTF_TEXT_TEXT] = " uint32_t _${name}_${size}; uint32_t _${name}_${length};"
		" utf8_t _${name}[_${name}_${length}];",
	[CTF_TEXT_BYTES] = " uint32_t _${name}_${size}; uint32_t _${name}_${length};"
		" uint8_t _${name}[_${name}_${length}];",
	[CTF_TEXT_DEBUG] = " debug_kind_t _${name}_${kind};"
		" variant debug <_${name}_${kind}> _${name};",
};

/* Templates for 128 bits, unsigned and signed. Hole: name. */
static const char *const ctf_text_wide_fields[] = {
	" uint64_t _${name}[2];",
	" int64_t _${name}[2];",
};

/* clang-format on */

/* Writes an argument as declared: `<type> <name>`. */
static inline void ctf_text_put_arg(struct ctf_text *t, const struct ctf_text_arg *arg)
{
	ctf_text_commented(t, arg->type);
	ctf_text_str(t, " ");
	ctf_text_commented(t, arg->name);
}

/*
 * Writes a comment `# @enum op 0=read` for each statement, and `<name>(<arguments>) <format>`, in
 * the language of trace-events files.
 */
static inline void ctf_text_put_line(struct ctf_text *t, const struct ctf_text_event *e)
{
	for (const char *s = e->meaning; *s;) {
		const char *end = strchr(s, '\n');

		ctf_text_str(t, "# ");
		t->put(t, s, (size_t)(end - s) + 1);
		s = end + 1;
	}
	ctf_text_commented(t, e->name);
	ctf_text_str(t, e->arg_count ? "(" : "(void");
	for (size_t i = 0; i < e->arg_count; i++) {
		ctf_text_str(t, i ? ", " : "");
		ctf_text_put_arg(t, &e->args[i]);
	}
	ctf_text_str(t, ") ");
	ctf_text_commented(t, *e->format ? e->format : "\"\"");
}

/*
 * Writes text inside of a TOML string. Characters that would end the string or the comment are
 * escaped by number.
 */
static inline void ctf_text_toml(struct ctf_text *t, const char *s)
{
	static const char digits[] = "0123456789ABCDEF";
	char before = '\0';

	for (; *s; before = *s++) {
		unsigned char c = (unsigned char)*s;
		bool odd = c < 0x20 || c == 0x7f || (c == '/' && before == '*');
		const char code[] = { '\\', 'u', '0', '0', digits[c >> 4], digits[c & 15] };

		if (odd) {
			t->put(t, code, sizeof(code));
			continue;
		}
		if (c == '"' || c == '\\') {
			t->put(t, "\\", 1);
		}
		t->put(t, s, 1);
	}
}

/* Writes `events = [{ ... }]`, in TOML. */
static inline void ctf_text_put_table(struct ctf_text *t, const struct ctf_text_event *e)
{
	size_t first = e->style == CTF_TEXT_TOML_SCOPE;

	ctf_text_str(t, first ? "scopes = [{ name = \"" : "events = [{ name = \"");
	ctf_text_toml(t, e->name);
	ctf_text_str(t, "\", args = \"");
	for (size_t i = first; i < e->arg_count; i++) {
		ctf_text_str(t, i > first ? ", " : "");
		ctf_text_toml(t, e->args[i].name);
		ctf_text_str(t, ": ");
		ctf_text_toml(t, e->args[i].type);
	}
	ctf_text_str(t, "\", message = \"");
	ctf_text_toml(t, e->format);
	ctf_text_str(t, *e->meaning ? "\", meaning = \"" : "");
	ctf_text_toml(t, e->meaning);
	ctf_text_str(t, "\", enabled = true }]");
}

static inline void ctf_text_put_declaration(struct ctf_text *t, const struct ctf_text_event *e)
{
	bool is_toml = e->style != CTF_TEXT_PRINTF;
	char line[CTF_TEXT_COLUMNS + 1];

	ctf_text_str(t, is_toml ? CTF_DECLARATION_TOML : CTF_DECLARATION);
	ctf_text_commented(t, e->file);
	ctf_text_str(t, ":");
	ctf_text_str(t, ctf_text_number(line, e->line, 0));
	ctf_text_str(t, ": ");
	if (is_toml) {
		ctf_text_put_table(t, e);
	} else {
		ctf_text_put_line(t, e);
	}
	ctf_text_str(t, CTF_COMMENT_END "\n");
}

/* True if `name` is `<begin>_<word>` followed by `more` times `_`. */
static inline bool ctf_text_is_taken(
	const char *name, const char *begin, const char *word, size_t more)
{
	size_t begun = strlen(begin);
	size_t n = strlen(word);

	if (strncmp(name, begin, begun) != 0 || name[begun] != '_' ||
		strncmp(name + begun + 1, word, n) != 0) {
		return false;
	}
	name += begun + 1 + n;
	return strspn(name, "_") == more && !name[more];
}

/*
 * Returns the number of `_` that argument `s` needs after "_<word>" to differ from all arguments.
 */
static inline size_t ctf_text_underscores(
	const struct ctf_text_event *e, const char *s, const char *word)
{
	size_t more = 0;

	for (size_t i = 0; i < e->arg_count; i++) {
		if (ctf_text_is_taken(e->args[i].name, s, word, more)) {
			more++;
			i = (size_t)-1; /* restart from the first argument */
		}
	}
	return more;
}

/* Room for a word and a `_` for each argument of an event. */
#define CTF_TEXT_WORD 48

/* Writes the word with its `_` to `buffer` of CTF_TEXT_WORD bytes; returns it. */
static inline const char *ctf_text_word(
	char *buffer, const struct ctf_text_event *e, const char *s, const char *word)
{
	size_t n = strlen(word);
	size_t more = ctf_text_underscores(e, s, word);

	memcpy(buffer, word, n);
	memset(buffer + n, '_', more);
	buffer[n + more] = '\0';
	return buffer;
}

/* Returns the text after `@enum <name>` or `@flags <name>` in the statements; NULL: none. */
static inline const char *ctf_text_names(const char *meaning, const char *name)
{
	size_t length = strlen(name);

	for (const char *s = meaning; *s; s = strchr(s, '\n') + 1) {
		size_t word = strncmp(s, "@enum", 5) == 0    ? 5
			      : strncmp(s, "@flags", 6) == 0 ? 6
							     : 0;
		const char *arg = s + word + strspn(s + word, " \t");

		if (word && strncmp(arg, name, length) == 0 && strchr(" \t", arg[length])) {
			return arg + length;
		}
	}
	return NULL;
}

/* Writes ` enum : uint32_t { "read" = 0, "write" = 1, } _op;`. `values`: ` 0=read 1=write`. */
static inline void ctf_text_put_enum(
	struct ctf_text *t, const struct ctf_text_arg *arg, const char *values)
{
	char bits[CTF_TEXT_COLUMNS + 1];

	ctf_text_str(t, arg->kind == CTF_TEXT_SIGNED ? " enum : int" : " enum : uint");
	ctf_text_str(t, ctf_text_number(bits, 8u * arg->size, 0));
	ctf_text_str(t, "_t {");
	for (values += strspn(values, " \t"); *values != '\n'; values += strspn(values, " \t")) {
		size_t value = strcspn(values, "=");
		const char *name = values + value + 1;
		size_t length = strcspn(name, " \t\n");

		ctf_text_str(t, " \"");
		t->put(t, name, length);
		ctf_text_str(t, "\" = ");
		t->put(t, values, value);
		ctf_text_str(t, ",");
		values = name + length;
	}
	ctf_text_str(t, " } _");
	ctf_text_str(t, arg->name);
	ctf_text_str(t, ";");
}

static inline void ctf_text_put_field(
	struct ctf_text *t, const struct ctf_text_event *e, const struct ctf_text_arg *arg)
{
	const char *values = ctf_text_names(e->meaning, arg->name);

	if (values && arg->kind <= CTF_TEXT_SIGNED && arg->size <= sizeof(uint64_t)) {
		ctf_text_put_enum(t, arg, values);
		return;
	}
	bool is_wide = arg->kind <= CTF_TEXT_SIGNED && arg->size > sizeof(uint64_t);
	const char *text = is_wide ? ctf_text_wide_fields[arg->kind] : ctf_text_fields[arg->kind];
	char bits[CTF_TEXT_COLUMNS + 1];
	char size[CTF_TEXT_WORD];
	char length[CTF_TEXT_WORD];
	char kind[CTF_TEXT_WORD];

	CTF_TEXT_FILL(t, text, { "name", arg->name },
		{ "bits", ctf_text_number(bits, 8u * arg->size, 0) },
		{ "size", ctf_text_word(size, e, arg->name, "size") },
		{ "length", ctf_text_word(length, e, arg->name, "length") },
		{ "kind", ctf_text_word(kind, e, arg->name, "kind") });
}

/* Writes an event: its declaration, and what readers of CTF need. At most 32 arguments. */
static inline void ctf_text_put_event(struct ctf_text *t, const struct ctf_text_event *e)
{
	char id[CTF_TEXT_COLUMNS + 1];

	ctf_text_put_declaration(t, e);
	CTF_TEXT_FILL(t, ctf_text_event_begin, { "id", ctf_text_number(id, e->id, 0) },
		{ "name", e->name });
	for (size_t i = 0; i < e->arg_count; i++) {
		ctf_text_put_field(t, e, &e->args[i]);
	}
	ctf_text_str(t, ctf_text_event_end);
}

#endif
