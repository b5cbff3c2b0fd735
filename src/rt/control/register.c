/* SPDX-License-Identifier: MIT */
/*
 * The calls of an object's constructor and destructor. The environment is read before the first
 * object registers, and applied as each object registers.
 */
#include <waymark/control.h>
#include <waymark/debug.h>
#include <waymark/init.h>

#include "rt/control/declare.h"
#include "rt/control/environment.h"
#include "rt/control/sinks.h"
#include "rt/event/loaded.h"
#include "rt/event/registry.h"
#include "rt/event/rule.h"
#include "rt/host/message.h"

/*
 * A program names these weakly (waymark/linked.h), and a static link extracts a file from the
 * archive only for a strong reference. These references make every program with events link the
 * files that define them.
 */
__attribute__((used)) static void (*const named_weakly[])(void) = {
	(void (*)(void))waymark_configure,
	(void (*)(void))waymark_init,
	(void (*)(void))waymark_set_dialect,
	(void (*)(void))waymark_option_help,
	(void (*)(void))waymark_debug_struct,
};

static void refuse(const struct waymark_object *object, const char *name)
{
	static struct once told;

	if (once(&told)) {
		waymark_message("%s: its events are off: it was built for trace ABI %u, and this "
				"libwaymark has %u; generate and build it anew",
			name, object->abi, WAYMARK_ABI);
	}
}

/* Each translation unit of an object calls this; only the first call has an effect. */
void waymark_register(struct waymark_object *object)
{
	struct loaded loaded = { .is_program = false, .name = "an object" };

	if (object->abi != WAYMARK_ABI) {
		waymark_loaded_find(object, &loaded);
		refuse(object, loaded.name);
		return;
	}
	waymark_environment_load();
	waymark_declare_object(object);
	if (waymark_rules_register(object)) {
		waymark_loaded_find(object, &loaded);
		waymark_output_follow();
		waymark_environment_follow(loaded.is_program);
	}
}

void waymark_unregister(struct waymark_object *object)
{
	if (object->abi == WAYMARK_ABI) {
		waymark_registry_remove(object);
	}
}
