/* SPDX-License-Identifier: MIT */
/* The memory of translations, the way into them and out of them, and from one to the next. */
#include "translate/translator.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "translate/region.h"
#include "translate/stubs.h"
#include "translate/translation.h"

#define REGION_BYTES (4 << 20)

/* The jump that the last run left by, and where it leads. */
struct exit {
	uint8_t *jump; /* NULL: none that could be patched */
	uint64_t pc;
};

struct translator {
	struct region region;
	struct stubs stubs;
	struct exit last;
	struct translation translation; /* `code` is all that is free */
	uint8_t *first; /* where translations begin */
	FILE *dump;
};

/* What translated code looks up in the hart. */
static void connect_hart(const struct translator *translator, struct hart *hart)
{
	struct translated *t = &hart->translated;

	t->leave = region_executable(&translator->region, translator->stubs.leave);
	t->interpret = region_executable(&translator->region, translator->stubs.interpret);
	t->blocks = block_cache_blocks(hart->blocks);
	t->ram = hart->ram->bytes;
	t->code = hart->ram->code;
	for (unsigned int i = 0; i < sizeof(t->last) / sizeof(t->last[0]); i++) {
		t->last[i] = hart->ram->size - (1u << i);
	}
}

struct translator *translator_create(struct hart *hart)
{
	if (!STUBS_RUN_HERE) {
		errno = ENOTSUP;
		return NULL;
	}
	struct translator *translator = calloc(1, sizeof(*translator));

	if (!translator || !region_open(&translator->region, REGION_BYTES)) {
		free(translator);
		return NULL;
	}
	struct code *code = &translator->translation.code;

	code->at = translator->region.write;
	code->end = code->at + REGION_BYTES;
	stubs_put(&translator->stubs, code);
	translator->first = code->at;
	translator->translation.hart = hart;
	connect_hart(translator, hart);
	return translator;
}

void translator_destroy(struct translator *translator)
{
	if (translator) {
		region_close(&translator->region);
		free(translator);
	}
}

void translator_dump(struct translator *translator, FILE *file)
{
	if (translator) {
		translator->dump = file;
	}
}

bool translator_has_room(const struct translator *translator)
{
	const struct code *code = &translator->translation.code;

	return code->end - code->at >= TRANSLATION_BYTES;
}

void translator_forget(struct translator *translator)
{
	translator->translation.code.at = translator->first;
	translator->last.jump = NULL;
}

/* Before any of its jumps is patched: what is here depends on the block alone. */
static void dump(const struct translator *translator, uint64_t pc, const uint8_t *code)
{
	flockfile(translator->dump); /* harts share it */
	fprintf(translator->dump, "0x%" PRIx64 " ", pc);
	for (; code < translator->translation.code.at; code++) {
		fprintf(translator->dump, "%02x", *code);
	}
	fputc('\n', translator->dump);
	funlockfile(translator->dump);
}

void translator_add(struct translator *translator, struct block *block)
{
	const uint8_t *code = translator->translation.code.at;

	translate_block(&translator->translation, block);
	block->code = region_executable(&translator->region, code);
	if (translator->dump) {
		dump(translator, block->pc, code);
	}
}

struct code *translator_code(struct translator *translator)
{
	return &translator->translation.code;
}

/* From now on the last run's way out leads here straight away. */
static void chain(struct translator *translator, const struct block *block)
{
	if (translator->last.jump && translator->last.pc == block->pc) {
		x86_link(translator->last.jump, region_writable(&translator->region, block->code));
	}
}

void translator_run(struct translator *translator, struct hart *hart, const struct block *block)
{
	chain(translator, block);
	const uint8_t *jump = stubs_enter(&translator->stubs, &translator->region, hart,
		(const uint8_t *)block->code + TRANSLATION_CHECK);

	translator->last.jump = jump ? region_writable(&translator->region, jump) : NULL;
	translator->last.pc = hart->pc;
}
