/* SPDX-License-Identifier: MIT */
/* The time of an event is above its id, as this host writes them. */
#include "read/ctf/raw.h"

#include "read/ctf/walk.h"

bool raw_is_known(const struct reader *r)
{
	const struct ctf_reader *own = (const struct ctf_reader *)r;

	return r->format == &reader_ctf && !r->swap && own->id_shift == own_order.id_shift &&
	       own->time_shift == own_order.time_shift;
}
