/* SPDX-License-Identifier: MIT */
/* First all of the file is checked, then all of it is copied. */
#include "loader/elf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "loader/image.h"
#include "loader/trace.h"

#define SEGMENTS 64 /* more than that of no program that fits in here */

/* Of e_flags; <elf.h> has them since lately. */
#define FLAG_COMPRESSED 0x1
#define FLAG_FLOAT 0x6

struct program {
	struct image image;
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS];
	const struct ram *ram;
	struct elf_error *error;
};

__attribute__((format(printf, 2, 3))) static bool fail(
	const struct program *program, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(program->error->text, sizeof(program->error->text), format, arguments);
	va_end(arguments);
	return false;
}

static bool check_identity(struct program *p)
{
	const unsigned char *ident = p->header.e_ident;

	if (!image_get(&p->image, 0, &p->header, sizeof(p->header))) {
		return fail(p, "%" PRIu64 " bytes are too few for an ELF file", p->image.size);
	}
	if (memcmp(ident, ELFMAG, SELFMAG) != 0) {
		return fail(p, "not an ELF file");
	}
	if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB ||
		p->header.e_machine != EM_RISCV) {
		return fail(p, "a program for another machine: machine %u, class %u, byte order %u",
			p->header.e_machine, ident[EI_CLASS], ident[EI_DATA]);
	}
	return true;
}

static bool check_kind(const struct program *p)
{
	if (p->header.e_type != ET_EXEC) {
		return fail(p, "type %u is no static program: link it with -static -no-pie",
			p->header.e_type);
	}
	if (p->header.e_flags & (FLAG_COMPRESSED | FLAG_FLOAT)) {
		return fail(p,
			"flags 0x%x: it has compressed or floating-point code; -march=rv64ima "
			"-mabi=lp64 makes none",
			p->header.e_flags);
	}
	return true;
}

static bool get_segments(struct program *p)
{
	const Elf64_Ehdr *h = &p->header;
	uint64_t bytes = (uint64_t)h->e_phnum * sizeof(p->segments[0]);

	if (h->e_phnum == 0 || h->e_phnum > SEGMENTS || h->e_phentsize != sizeof(p->segments[0])) {
		return fail(p, "%u program headers of %u bytes: 1 to %d of %zu are wanted",
			h->e_phnum, h->e_phentsize, SEGMENTS, sizeof(p->segments[0]));
	}
	if (!image_get(&p->image, h->e_phoff, p->segments, bytes)) {
		return fail(p,
			"truncated: the program headers end behind the file's %" PRIu64 " bytes",
			p->image.size);
	}
	return true;
}

static bool check_segment(const struct program *p, unsigned int i)
{
	const Elf64_Phdr *s = &p->segments[i];

	if (s->p_type == PT_DYNAMIC || s->p_type == PT_INTERP) {
		return fail(p, "segment %u: a dynamic program, link it with -static", i);
	}
	if (s->p_type != PT_LOAD || s->p_memsz == 0) {
		return true;
	}
	if (s->p_filesz > s->p_memsz) {
		return fail(p, "segment %u: %" PRIu64 " bytes of file for %" PRIu64 " of memory", i,
			s->p_filesz, s->p_memsz);
	}
	if (!image_has(&p->image, s->p_offset, s->p_filesz)) {
		return fail(p,
			"truncated: segment %u, %" PRIu64 " bytes at %" PRIu64
			", ends behind the file's %" PRIu64 " bytes",
			i, s->p_filesz, s->p_offset, p->image.size);
	}
	if (!ram_at(p->ram, s->p_paddr, s->p_memsz)) {
		return fail(p,
			"segment %u: %" PRIu64 " bytes at 0x%" PRIx64 " are not in the %" PRIu64
			" bytes of memory at 0x%" PRIx64,
			i, s->p_memsz, s->p_paddr, p->ram->size, RAM_BASE);
	}
	return true;
}

static bool loads(const Elf64_Phdr *segment)
{
	return segment->p_type == PT_LOAD && segment->p_memsz != 0;
}

/* Both are in memory, so their ends do not overflow. */
static bool overlap(const Elf64_Phdr *a, const Elf64_Phdr *b)
{
	return loads(a) && loads(b) && a->p_paddr < b->p_paddr + b->p_memsz &&
	       b->p_paddr < a->p_paddr + a->p_memsz;
}

static bool check_overlaps(const struct program *p, unsigned int i)
{
	for (unsigned int other = 0; other < i; other++) {
		if (overlap(&p->segments[i], &p->segments[other])) {
			return fail(p, "segments %u and %u overlap at 0x%" PRIx64, other, i,
				p->segments[i].p_paddr);
		}
	}
	return true;
}

static bool check_entry(const struct program *p)
{
	uint64_t entry = p->header.e_entry;

	for (unsigned int i = 0; i < p->header.e_phnum; i++) {
		const Elf64_Phdr *s = &p->segments[i];

		if (loads(s) && s->p_flags & PF_X && entry % 4 == 0 &&
			entry - s->p_paddr < s->p_memsz) {
			return true;
		}
	}
	return fail(p, "its entry 0x%" PRIx64 " is no place of an executable segment", entry);
}

static bool check(struct program *p)
{
	if (!check_identity(p) || !check_kind(p) || !get_segments(p)) {
		return false;
	}
	for (unsigned int i = 0; i < p->header.e_phnum; i++) {
		if (!check_segment(p, i) || !check_overlaps(p, i)) {
			return false;
		}
	}
	return check_entry(p);
}

static void load_segment(const struct program *p, const Elf64_Phdr *segment)
{
	uint8_t *to = ram_at(p->ram, segment->p_paddr, segment->p_memsz);

	memcpy(to, p->image.bytes + segment->p_offset, segment->p_filesz);
	memset(to + segment->p_filesz, 0, segment->p_memsz - segment->p_filesz);
	trace_loader_segment(segment->p_paddr, segment->p_filesz, segment->p_memsz);
}

bool elf_load(
	const void *file, size_t bytes, struct ram *ram, uint64_t *entry, struct elf_error *error)
{
	struct program program = { .image = { file, bytes }, .ram = ram, .error = error };

	if (!check(&program)) {
		return false;
	}
	for (unsigned int i = 0; i < program.header.e_phnum; i++) {
		if (loads(&program.segments[i])) {
			load_segment(&program, &program.segments[i]);
		}
	}
	symbols_trace(&program.image, &program.header);
	*entry = program.header.e_entry;
	trace_loader_entry(*entry);
	return true;
}
