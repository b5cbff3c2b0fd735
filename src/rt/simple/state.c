/* SPDX-License-Identifier: MIT */
/*
 * The state shared by control calls and the consumer: control calls publish a configuration and the
 * state on or off, and the consumer reads both at its next pass. The file's name follows from the
 * configuration.
 */
#include <unistd.h>

#include "rt/host/line.h"
#include "rt/record/process.h"
#include "rt/simple/state.h"
#include "rt/sink/sink.h"

/* By release and acquire; inherited by forked children. */
static struct simple_config *current;
static uint32_t switched_off;

const struct simple_config *waymark_simple_config(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

bool waymark_simple_is_off(void)
{
	return __atomic_load_n(&switched_off, __ATOMIC_ACQUIRE);
}

int waymark_simple_set_on(bool on, bool *was_on, struct waymark_error *error)
{
	return waymark_sink_switch(&switched_off, on, was_on, error);
}

void waymark_simple_publish(struct simple_config *config)
{
	struct simple_config *previous = __atomic_load_n(&current, __ATOMIC_ACQUIRE);

	do {
		config->previous = previous;
	} while (!__atomic_compare_exchange_n(
		&current, &previous, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

struct simple_state *waymark_simple_current(void)
{
	struct process *p = waymark_process_current();
	struct buffer *b = p ? recorder_buffer(&p->recorders[WAYMARK_RECORDER_SIMPLE]) : NULL;

	return b ? b->state : NULL;
}

void waymark_simple_name(
	const struct simple_config *config, uint32_t pid, uint32_t number, char *name, size_t size)
{
	struct line l;

	line_init(&l, name, size);
	if (!simple_is_named(config)) {
		waymark_line_put(&l, "trace-%u", pid);
	} else if (config->shared || (config->pid == pid && !(config->held && number))) {
		waymark_line_put(&l, "%s", config->path);
		return;
	} else {
		waymark_line_put(&l, "%s.%u", config->path, pid);
		number -= config->pid == pid;
	}
	if (number) {
		waymark_line_put(&l, ".%u", number);
	}
}

void waymark_simple_put_path(char *path, size_t size)
{
	const struct simple_state *d = waymark_simple_current();
	const struct simple_config *config = waymark_simple_config();
	uint32_t number = d ? __atomic_load_n(&d->out.file.number, __ATOMIC_RELAXED) : 0;
	struct line l;

	line_init(&l, path, size);
	if (d && !simple_is_named(config) && d->directory[0] == '/') {
		waymark_line_put(&l, "%s/", d->directory);
	}
	waymark_simple_name(config, (uint32_t)getpid(), number, l.data + l.len, l.size - l.len);
}
