/* SPDX-License-Identifier: MIT */
/* The names of a program's functions, only for its trace. */
#include "loader/image.h"
#include "loader/trace.h"
#include "trace/control.h"

static bool get_section(const struct image *image, const Elf64_Ehdr *header, unsigned int number,
	Elf64_Shdr *section)
{
	return header->e_shentsize == sizeof(*section) && number < header->e_shnum &&
	       image_has(image, header->e_shoff, 0) &&
	       image_get(image, header->e_shoff + (uint64_t)number * sizeof(*section), section,
		       sizeof(*section));
}

/* Not all of them are in the file: .bss has a size and no bytes. */
static bool has_bytes(const struct image *image, const Elf64_Shdr *section)
{
	return image_has(image, section->sh_offset, section->sh_size);
}

/* A name, which has to end inside of its table. */
static const char *get_name(const struct image *image, const Elf64_Shdr *names, uint64_t offset)
{
	if (offset >= names->sh_size) {
		return NULL;
	}
	const char *name = (const char *)image->bytes + names->sh_offset + offset;

	return memchr(name, '\0', names->sh_size - offset) ? name : NULL;
}

/* Assembly seldom says what a label is. The names of data tell nobody where the guest is. */
static bool is_code(const Elf64_Sym *symbol)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
	       (type == STT_FUNC || type == STT_NOTYPE);
}

static void trace_table(const struct image *image, const Elf64_Shdr *table, const Elf64_Shdr *names)
{
	Elf64_Sym symbol;

	for (uint64_t at = 0; at + sizeof(symbol) <= table->sh_size; at += sizeof(symbol)) {
		image_get(image, table->sh_offset + at, &symbol, sizeof(symbol));
		const char *name = get_name(image, names, symbol.st_name);

		/* `$x...` are marks of the assembler's. */
		if (name && *name && *name != '$' && is_code(&symbol)) {
			trace_guest_function(symbol.st_value, name);
		}
	}
}

void symbols_trace(const struct image *image, const Elf64_Ehdr *header)
{
	Elf64_Shdr table, names;

	if (!trace_event_get_state(TRACE_GUEST_FUNCTION)) {
		return;
	}
	for (unsigned int i = 0; get_section(image, header, i, &table); i++) {
		if (table.sh_type == SHT_SYMTAB && has_bytes(image, &table) &&
			get_section(image, header, table.sh_link, &names) &&
			has_bytes(image, &names)) {
			trace_table(image, &table, &names);
		}
	}
}
