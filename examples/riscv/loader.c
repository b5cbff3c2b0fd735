/* SPDX-License-Identifier: MIT */
/*
 * Checks the whole file, then copies its segments and traces the names of its functions. Only
 * get() reads the file's structures, so no read passes its end.
 */
#include "loader.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace-riscv.h"
#include "trace/control.h"

#define SEGMENTS 64 /* at most */
/* A bit of e_flags that older <elf.h> lack. */
#define FLAG_COMPRESSED 0x1
#define FLAG_FLOAT 0x6

struct file {
	const uint8_t *bytes;
	uint64_t size;
	Elf64_Ehdr header;
	const struct machine *machine;
	struct elf_error *error;
};

__attribute__((format(printf, 2, 3))) static bool fail(
	const struct file *file, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(file->error->text, sizeof(file->error->text), format, arguments);
	va_end(arguments);
	return false;
}

static bool is_inside(const struct file *file, uint64_t offset, uint64_t bytes)
{
	return bytes <= file->size && offset <= file->size - bytes;
}

static bool get(const struct file *file, uint64_t offset, void *to, uint64_t bytes)
{
	if (!is_inside(file, offset, bytes)) {
		return false;
	}
	memcpy(to, file->bytes + offset, bytes);
	return true;
}

/*
 * Gets the entry with this number of a table. Checks its offset first, so that the sum does not
 * overflow.
 */
static bool get_entry(
	const struct file *file, uint64_t table, unsigned int number, void *to, uint64_t bytes)
{
	return is_inside(file, table, number * bytes) &&
	       get(file, table + number * bytes, to, bytes);
}

static bool is_loaded(const Elf64_Phdr *segment)
{
	return segment->p_type == PT_LOAD && segment->p_memsz != 0;
}

static bool check_header(struct file *file)
{
	Elf64_Ehdr *h = &file->header;

	if (!get(file, 0, h, sizeof(*h))) {
		return fail(file, "%" PRIu64 " bytes are too few for an ELF file", file->size);
	}
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0) {
		return fail(file, "not an ELF file");
	}
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
		h->e_machine != EM_RISCV) {
		return fail(file,
			"a program for another machine: machine %u, class %u, byte order %u",
			h->e_machine, h->e_ident[EI_CLASS], h->e_ident[EI_DATA]);
	}
	if (h->e_type != ET_EXEC) {
		return fail(file, "type %u is not a static program: link it with -static -no-pie",
			h->e_type);
	}
	if (h->e_flags & (FLAG_COMPRESSED | FLAG_FLOAT)) {
		return fail(file,
			"flags 0x%x: it has compressed or floating-point code; -march=rv64im "
			"-mabi=lp64 makes none",
			h->e_flags);
	}
	if (h->e_phnum == 0 || h->e_phnum > SEGMENTS || h->e_phentsize != sizeof(Elf64_Phdr)) {
		return fail(file, "%u program headers of %u bytes: 1 to %d of %zu are wanted",
			h->e_phnum, h->e_phentsize, SEGMENTS, sizeof(Elf64_Phdr));
	}
	return true;
}

static bool check_segment(const struct file *file, const Elf64_Phdr *s, unsigned int i)
{
	if (s->p_type == PT_DYNAMIC || s->p_type == PT_INTERP) {
		return fail(file, "segment %u: a dynamic program, link it with -static", i);
	}
	if (!is_loaded(s)) {
		return true;
	}
	if (s->p_filesz > s->p_memsz) {
		return fail(file, "segment %u: %" PRIu64 " bytes of file for %" PRIu64 " of memory",
			i, s->p_filesz, s->p_memsz);
	}
	if (!is_inside(file, s->p_offset, s->p_filesz)) {
		return fail(file,
			"truncated: segment %u, %" PRIu64 " bytes at %" PRIu64
			", ends behind the file's %" PRIu64 " bytes",
			i, s->p_filesz, s->p_offset, file->size);
	}
	if (!machine_ram(file->machine, s->p_paddr, s->p_memsz)) {
		return fail(file,
			"segment %u: %" PRIu64 " bytes at 0x%" PRIx64 " are not in the %" PRIu64
			" bytes of memory at 0x%" PRIx64,
			i, s->p_memsz, s->p_paddr, file->machine->ram_bytes, RAM_BASE);
	}
	return true;
}

static bool check_segments(const struct file *file)
{
	uint64_t entry = file->header.e_entry;
	bool has_entry = false;
	Elf64_Phdr s;

	for (unsigned int i = 0; i < file->header.e_phnum; i++) {
		if (!get_entry(file, file->header.e_phoff, i, &s, sizeof(s))) {
			return fail(file,
				"truncated: the program headers end behind the file's %" PRIu64
				" bytes",
				file->size);
		}
		if (!check_segment(file, &s, i)) {
			return false;
		}
		has_entry |= is_loaded(&s) && s.p_flags & PF_X && entry % 4 == 0 &&
			     entry - s.p_paddr < s.p_memsz;
	}
	return has_entry ||
	       fail(file, "its entry 0x%" PRIx64 " is in no executable segment", entry);
}

static bool get_section(const struct file *file, unsigned int number, Elf64_Shdr *section)
{
	const Elf64_Ehdr *h = &file->header;

	return h->e_shentsize == sizeof(*section) && number < h->e_shnum &&
	       get_entry(file, h->e_shoff, number, section, sizeof(*section));
}

/*
 * Assembly rarely gives labels a type, so labels without a type count as functions; `$x...` are
 * mapping symbols.
 */
static void trace_function(
	const struct file *file, const Elf64_Sym *symbol, const Elf64_Shdr *names)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	bool is_code = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
		       (type == STT_FUNC || type == STT_NOTYPE);

	if (!is_code || symbol->st_name >= names->sh_size) {
		return;
	}
	const char *name = (const char *)file->bytes + names->sh_offset + symbol->st_name;

	if (*name && *name != '$' && memchr(name, '\0', names->sh_size - symbol->st_name)) {
		trace_guest_function(symbol->st_value, name);
	}
}

/* The program runs without symbols, so faulty symbols are no error. */
static void trace_functions(const struct file *file)
{
	Elf64_Shdr table, names;
	Elf64_Sym symbol;

	for (unsigned int i = 0; get_section(file, i, &table); i++) {
		if (table.sh_type != SHT_SYMTAB ||
			!is_inside(file, table.sh_offset, table.sh_size) ||
			!get_section(file, table.sh_link, &names) ||
			!is_inside(file, names.sh_offset, names.sh_size)) {
			continue;
		}
		for (uint64_t at = 0; at + sizeof(symbol) <= table.sh_size; at += sizeof(symbol)) {
			get(file, table.sh_offset + at, &symbol, sizeof(symbol));
			trace_function(file, &symbol, &names);
		}
	}
}

bool elf_load(const void *bytes, size_t size, struct machine *machine, uint64_t *entry,
	struct elf_error *error)
{
	struct file file = { .bytes = bytes, .size = size, .machine = machine, .error = error };
	Elf64_Phdr s;

	if (!check_header(&file) || !check_segments(&file)) {
		return false;
	}
	for (unsigned int i = 0; i < file.header.e_phnum; i++) {
		get_entry(&file, file.header.e_phoff, i, &s, sizeof(s));
		if (is_loaded(&s)) {
			uint8_t *to = machine_ram(machine, s.p_paddr, s.p_memsz);

			memcpy(to, file.bytes + s.p_offset, s.p_filesz);
			memset(to + s.p_filesz, 0, s.p_memsz - s.p_filesz);
			trace_loader_segment(s.p_paddr, s.p_filesz, s.p_memsz);
		}
	}
	if (trace_event_get_state(TRACE_GUEST_FUNCTION)) {
		trace_functions(&file);
	}
	*entry = file.header.e_entry;
	return true;
}
