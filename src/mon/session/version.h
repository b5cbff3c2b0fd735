/* SPDX-License-Identifier: MIT */
/* Waymark's version in the form in which QMP tells one. */
#ifndef MON_VERSION_H
#define MON_VERSION_H

#include <jansson.h>

/* {"qemu": {"micro", "minor", "major"}, "package"}: clients expect that name. NULL: no memory. */
json_t *version_as_json(void);

#endif
