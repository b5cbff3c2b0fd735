/* SPDX-License-Identifier: MIT */
/*
 * Loaded objects by address, from the program headers: works also in static programs, in which
 * dladdr() does not. Called when an object registers and when the option is read.
 */
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "rt/event/loaded.h"

struct search {
	uintptr_t address;
	unsigned int position; /* the main program is listed first */
	struct loaded *loaded;
};

static bool covers(const struct dl_phdr_info *info, uintptr_t address)
{
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && address >= start &&
			address - start < info->dlpi_phdr[i].p_memsz) {
			return true;
		}
	}
	return false;
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	bool is_program = s->position++ == 0;

	(void)size;
	if (!covers(info, s->address)) {
		return 0;
	}
	s->loaded->is_program = is_program;
	snprintf(s->loaded->name, sizeof(s->loaded->name), "%s",
		is_program ? program_invocation_name : info->dlpi_name);
	return 1;
}

bool waymark_loaded_find(const void *address, struct loaded *loaded)
{
	struct search s = { .address = (uintptr_t)address, .loaded = loaded };

	return dl_iterate_phdr(visit, &s) == 1;
}

#if __ELF_NATIVE_CLASS == 64
#define SYMBOL_OF(info) ELF64_R_SYM(info)
#else
#define SYMBOL_OF(info) ELF32_R_SYM(info)
#endif

/* Values of the dynamic section by tag; 0 if missing. */
struct dynamic {
	uintptr_t base;
	uintptr_t of[DT_JMPREL + 1];
};

/*
 * Adds the object's base to an address, which glibc has done by now and other C libraries have not.
 */
static const void *address_of(const struct dynamic *d, size_t tag)
{
	uintptr_t address = d->of[tag];

	return (const void *)(address < d->base ? address + d->base : address);
}

/* True if a table of relocations refers to a symbol of that name. */
static bool table_refers(const struct dynamic *d, size_t table, size_t size, const char *name)
{
	bool short_ones = table == DT_REL || (table == DT_JMPREL && d->of[DT_PLTREL] == DT_REL);
	size_t step = short_ones ? sizeof(ElfW(Rel)) : sizeof(ElfW(Rela));
	const ElfW(Sym) *symbols = address_of(d, DT_SYMTAB);
	const char *names = address_of(d, DT_STRTAB);
	const char *entry = address_of(d, table);

	for (size_t at = 0; d->of[table] && at < d->of[size]; at += step) {
		size_t symbol = SYMBOL_OF(((const ElfW(Rel) *)(const void *)(entry + at))->r_info);

		if (symbol && strcmp(names + symbols[symbol].st_name, name) == 0) {
			return true;
		}
	}
	return false;
}

static bool refers(const struct dynamic *d, const char *name)
{
	return table_refers(d, DT_RELA, DT_RELASZ, name) ||
	       table_refers(d, DT_REL, DT_RELSZ, name) ||
	       table_refers(d, DT_JMPREL, DT_PLTRELSZ, name);
}

static const ElfW(Dyn) * find_dynamic(const struct dl_phdr_info *info)
{
	for (unsigned int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
			return (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
		}
	}
	return NULL;
}

/* Called for the first object, which is the program; ends the iteration. */
static int visit_program(struct dl_phdr_info *info, size_t size, void *data)
{
	struct dynamic d = { .base = info->dlpi_addr };
	const ElfW(Dyn) *entry = find_dynamic(info);
	bool *registers = data;

	(void)size;
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag > 0 && entry->d_tag <= DT_JMPREL) {
			d.of[entry->d_tag] = entry->d_un.d_ptr;
		}
	}
	*registers = !d.of[DT_SYMTAB] || !d.of[DT_STRTAB] || refers(&d, "waymark_register");
	return 1;
}

bool waymark_loaded_program_registers(void)
{
	static const char here;
	struct loaded own;
	bool registers = true;

	if (waymark_loaded_find(&here, &own) && own.is_program) {
		return true;
	}
	dl_iterate_phdr(visit_program, &registers);
	return registers;
}
