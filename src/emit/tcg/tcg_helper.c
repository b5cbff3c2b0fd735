/* SPDX-License-Identifier: MIT */
/* The words of helpers. */
#include "emit/tcg/tcg_helper.h"

#include <string.h>

static const struct tcg_word word_32 = { "i32", "uint32_t", "(int32_t)" };
static const struct tcg_word word_64 = { "i64", "uint64_t", "(int64_t)" };
static const struct tcg_word word_of_pointer = { "ptr", "void *", "(void *)(uintptr_t)" };
static const struct tcg_word word_of_target = { "tl", "target_ulong", NULL };
static const struct tcg_word word_of_env = { "env", "CPUArchState *", NULL };

static const struct {
	const char *type;
	const struct tcg_word *word;
} guest_words[] = {
	{ "TCGv", &word_of_target },
	{ "TCGv_i32", &word_32 },
	{ "TCGv_i64", &word_64 },
	{ "TCGv_ptr", &word_of_pointer },
	{ "TCGv_env", &word_of_env },
};

const struct tcg_types tcg_host_types = { .env = "TCGv_env", .without_cpu = true };

const struct tcg_word *tcg_word(const struct event *exec, size_t i)
{
	const struct arg *a = &exec->args[i];

	if (exec->args[i].is_cpu) {
		return &word_of_env;
	}
	for (size_t k = 0; a->guest_type && k < sizeof(guest_words) / sizeof(*guest_words); k++) {
		if (strcmp(a->guest_type, guest_words[k].type) == 0) {
			return guest_words[k].word;
		}
	}
	if (a->type.class != TYPE_INTEGER) {
		return &word_of_pointer;
	}
	return a->type.size64 > sizeof(uint32_t) ? &word_64 : &word_32;
}
