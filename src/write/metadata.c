/* SPDX-License-Identifier: MIT */
/* Writes metadata from the model, see write/metadata.h. */
#include "write/metadata.h"

struct sink {
	struct ctf_text text;
	struct out *out;
};

static void put(struct ctf_text *t, const char *p, size_t n)
{
	out_bytes(((struct sink *)t)->out, p, n);
}

void metadata_put_head(struct out *out, const struct ctf_text_trace *trace)
{
	struct sink sink = { { put }, out };

	ctf_text_put_head(&sink.text, trace);
}

static enum ctf_text_kind kind_of(const struct type *t, bool is_unsigned_char)
{
	static const uint8_t kinds[] = {
		[TYPE_FLOAT] = CTF_TEXT_FLOAT,
		[TYPE_POINTER] = CTF_TEXT_POINTER,
		[TYPE_STRING] = CTF_TEXT_STRING,
		[TYPE_TEXT] = CTF_TEXT_TEXT,
		[TYPE_BYTES] = CTF_TEXT_BYTES,
		[TYPE_DEBUG] = CTF_TEXT_DEBUG,
		[TYPE_TCG] = CTF_TEXT_UNSIGNED,
	};

	if (kinds[t->class] != CTF_TEXT_UNSIGNED) {
		return kinds[t->class];
	}
	if (t->is_char) {
		return is_unsigned_char ? CTF_TEXT_UNSIGNED : CTF_TEXT_SIGNED;
	}
	return t->is_signed ? CTF_TEXT_SIGNED : CTF_TEXT_UNSIGNED;
}

void metadata_put_event(
	struct out *out, uint16_t id, const struct event *e, uint32_t unsigned_chars)
{
	struct sink sink = { { put }, out };
	struct ctf_text_arg args[EVENT_ARGS_LIMIT];

	for (size_t i = 0; i < e->arg_count; i++) {
		args[i] = (struct ctf_text_arg){
			.name = e->args[i].name,
			.type = e->args[i].type.text,
			.kind = (uint8_t)kind_of(&e->args[i].type, unsigned_chars >> i & 1),
			.size = (uint8_t)metadata_arg_bytes(&e->args[i].type),
		};
	}
	const struct ctf_text_event event = {
		.id = id,
		.style = e->format.style != FORMAT_BRACES ? CTF_TEXT_PRINTF
			 : e->properties & EVENT_SCOPE	  ? CTF_TEXT_TOML_SCOPE
							  : CTF_TEXT_TOML_EVENT,
		.name = e->name,
		.format = e->format.source ? e->format.source : "",
		.meaning = e->meaning ? e->meaning : "",
		.file = e->at.source ? e->at.source->name : "",
		.line = e->line,
		.args = args,
		.arg_count = e->arg_count,
	};

	ctf_text_put_event(&sink.text, &event);
}
