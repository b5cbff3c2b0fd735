/* SPDX-License-Identifier: MIT */
/* Finds the place of a field. */
#include "read/place.h"

#include "read/layout.h"

struct place place_of(const struct reader *r, const struct event_class *class, int arg)
{
	const struct record_layout *l = class->layout;

	if (arg < 0 || !class->event || (size_t)arg >= class->event->arg_count) {
		return (struct place){ 0 };
	}
	size_t index = (size_t)arg;
	struct place p = { .arg = &class->event->args[index], .index = (uint16_t)index };

	if (r->form == VALUES_LAID_OUT && l && index < layout_first_varying(l) &&
		l->fields[index].form == LAYOUT_NUMBER && p.arg->type.class != TYPE_DEBUG) {
		p.is_direct = true;
		p.is_signed = l->fields[index].is_signed;
		p.size = l->fields[index].size;
		p.offset = (uint32_t)layout_offset(l, index);
	}
	return p;
}
