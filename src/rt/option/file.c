/* SPDX-License-Identifier: MIT */
/*
 * What file= stands for: the own key (ctf.file= and its like) of one backend. Of
 * the two the last one given counts.
 */
#include <stdlib.h>

#include "rt/option/option.h"
#include "rt/sink/sink.h"

static char **own_file(struct waymark_config *c, unsigned int backend)
{
	return backend == WAYMARK_CTF	   ? &c->ctf_file
	       : backend == WAYMARK_SIMPLE ? &c->simple_file
					   : &c->log_file;
}

unsigned int waymark_config_outputs(const struct waymark_config *c)
{
	return (c->ctf_file ? WAYMARK_CTF : 0u) | (c->simple_file ? WAYMARK_SIMPLE : 0u) |
	       (c->log_file ? WAYMARK_LOG : 0u);
}

void waymark_config_settle_file(struct waymark_config *c, unsigned int backend)
{
	if (c->file) {
		char **loser = c->after_file & backend ? &c->file : own_file(c, backend);

		free(*loser);
		*loser = NULL;
	}
}

void waymark_config_limit_file(struct waymark_config *c)
{
	const struct waymark_sink *sink = waymark_sink_first(c->backends);

	if (!sink) {
		return;
	}
	waymark_config_settle_file(c, sink->backend);
	if (c->file) {
		*own_file(c, sink->backend) = c->file;
		c->file = NULL;
	}
}
