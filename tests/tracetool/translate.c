/* SPDX-License-Identifier: MIT */
/*
 * Prints the events of translate.events at translation and at execution. The program is also the
 * runtime, so it tests generated code through its interface only. Addresses are fixed, so that the
 * output is the same each time.
 */
#include <stdarg.h>

/* translate_host.h or tcg_host.h: the translator */
#include HOST

#include <waymark/record.h>

static struct waymark_object *events;
static const void *only_cpu; /* the only CPU it is on for; NULL: all CPUs */

void waymark_register(struct waymark_object *object)
{
	events = object;
}

void waymark_unregister(struct waymark_object *object)
{
	(void)object;
}

void waymark_log(const struct waymark_event *event, const char *fmt, ...)
{
	va_list ap;

	printf("    %s", event->name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* Two ways that only conditions take, which this test does not have. */
void waymark_several(const struct waymark_event *event, const char *fmt, ...)
{
	(void)event;
	(void)fmt;
	abort();
}

unsigned int waymark_decide(
	const struct waymark_event *event, unsigned int on, const uint64_t *words)
{
	(void)event;
	(void)on;
	(void)words;
	abort();
}

unsigned int waymark_vcpu_backends(const struct waymark_event *event, const void *cpu)
{
	return !only_cpu || cpu == only_cpu ? WAYMARK_BACKENDS(*event->state) : 0;
}

/* Switches an event; if `cpu` is not NULL, only for that CPU. */
static void set_state(const char *name, bool on, const void *cpu)
{
	for (struct waymark_event *const *e = events->begin; e < events->end; e++) {
		if (strcmp((*e)->name, name) == 0) {
			uint32_t state = 0;
			const uint16_t mask = on ? WAYMARK_LOG : 0;

			memcpy(&state, &mask, sizeof(mask));
			__atomic_store_n((*e)->state, state, __ATOMIC_RELEASE);
			only_cpu = cpu;
			return;
		}
	}
	printf("there is no event %s\n", name);
	exit(1);
}

static void begin(const char *what)
{
	printf("%s\n", what);
	translated_count = 0;
}

/* Two executions by two CPUs, with their current values. */
static void show_values(void)
{
	set_state("guest_trans", true, NULL);
	set_state("guest_exec", true, NULL);
	begin("values of the guest");
	trace_guest_tcg(HOST_CPU(1), HOST_ENV, HOST_TL(1), "text", HOST_I32(2), HOST_I64(3),
		HOST_PTR(4), HOST_ENV);
	registers[1] = 0x1111111122222222;
	registers[2] = 0x33333333;
	registers[3] = UINT64_MAX;
	registers[4] = 0x4444;
	execute(HOST_CPU(1));
	registers[1]++;
	registers[2]++;
	registers[3]++;
	execute(HOST_CPU(2));
}

static void show_constants(void)
{
	set_state("narrow_trans", true, NULL);
	set_state("narrow_exec", true, NULL);
	set_state("names_exec", true, NULL);
	begin("constants");
	trace_narrow_tcg(HOST_CPU(1), HOST_ENV, -1, 255, INT16_MIN, UINT16_MAX, true, 'c');
	trace_names_tcg(1, HOST_TL(1), -2, 3, 4);
#ifdef HOST_TAKES_MANY
	set_state("wide_trans", true, NULL);
	set_state("wide_exec", true, NULL);
	trace_wide_tcg(INT32_MIN, UINT32_MAX, INT64_MIN, UINT64_MAX, -3, 4, "text",
		(void *)(uintptr_t)5, (const void *)(uintptr_t)6, HOST_TL(1));
#endif
	registers[1] = 7;
	execute(HOST_CPU(1));
}

/* Calls are emitted only while the event at execution is on for the translating CPU. */
static void show_states(void)
{
	begin("off");
	trace_nothing_tcg();
	trace_baz_tcg(HOST_CPU(1), HOST_ENV, 0xd3);
	trace_off_tcg(HOST_CPU(1), HOST_ENV, HOST_TL(1), 1);
	execute(HOST_CPU(1));

	set_state("baz_trans", true, NULL);
	begin("on at translation");
	trace_baz_tcg(HOST_CPU(1), HOST_ENV, 0xd3);
	execute(HOST_CPU(1));

	set_state("baz_trans", false, NULL);
	set_state("baz_exec", true, HOST_CPU(2));
	begin("on at execution, for one CPU");
	trace_baz_tcg(HOST_CPU(1), HOST_ENV, 1);
	trace_baz_tcg(HOST_CPU(2), HOST_ENV, 2);
	execute(HOST_CPU(1));
	execute(HOST_CPU(2));
	set_state("baz_exec", false, NULL);
	execute(HOST_CPU(2));

	set_state("nothing_trans", true, NULL);
	set_state("nothing_exec", true, NULL);
	begin("without arguments");
	trace_nothing_tcg();
	execute(HOST_CPU(1));
}

/* The example in the documentation. */
static void show_example(void)
{
	set_state("foo", true, NULL);
	set_state("bar", true, NULL);
	set_state("baz_trans", true, NULL);
	set_state("baz_exec", true, NULL);
	begin("example");
	trace_foo(0xd1);
	trace_bar(HOST_CPU(1), 0xd2);
	trace_baz_tcg(HOST_CPU(1), HOST_ENV, 0xd3);
	execute(HOST_CPU(2));
	execute(HOST_CPU(2));
}

int main(void)
{
	show_example();
	set_state("baz_trans", false, NULL);
	set_state("baz_exec", false, NULL);
	show_states();
	show_constants();
	show_values();
	check_host();
	return 0;
}
