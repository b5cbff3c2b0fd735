/* SPDX-License-Identifier: MIT */
/*
 * Where control calls and the consumer meet: control calls publish a configuration and the state on
 * or off, the consumer reads both at its next pass. The consumer's own state is found here, too.
 */
#include "rt/ctf/state.h"
#include "rt/record/process.h"
#include "rt/sink/sink.h"

/* By release and acquire; inherited by forked children. */
static struct ctf_config *current;
static struct ctf_config *withdrawn; /* the consumer may still look at them */
static uint32_t switched_off;

struct ctf_state *waymark_ctf_current(void)
{
	struct process *p = waymark_process_current();
	struct recorder *r = p ? &p->recorders[WAYMARK_RECORDER_CTF] : NULL;
	const struct buffer *b = r ? recorder_buffer(r) : NULL;

	return b ? b->state : NULL;
}

struct ctf_state *waymark_ctf_begun(void)
{
	struct ctf_state *state = waymark_ctf_current();

	return state && __atomic_load_n(&state->trace.named, __ATOMIC_ACQUIRE) ? state : NULL;
}

const struct ctf_config *waymark_ctf_config(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

bool waymark_ctf_is_off(void)
{
	return __atomic_load_n(&switched_off, __ATOMIC_ACQUIRE);
}

int waymark_ctf_set_on(bool on, bool *was_on, struct waymark_error *error)
{
	return waymark_sink_switch(&switched_off, on, was_on, error);
}

static void push(struct ctf_config **list, struct ctf_config *config)
{
	struct ctf_config *previous = __atomic_load_n(list, __ATOMIC_ACQUIRE);

	do {
		config->previous = previous;
	} while (!__atomic_compare_exchange_n(
		list, &previous, config, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

void waymark_ctf_publish(struct ctf_config *config)
{
	push(&current, config);
}

void waymark_ctf_withdraw(struct ctf_config *config)
{
	struct ctf_config *expected = config;

	if (__atomic_compare_exchange_n(&current, &expected, config->previous, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		push(&withdrawn, config);
	}
}
