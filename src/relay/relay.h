/* SPDX-License-Identifier: MIT */
/* Serves viewers at a socket, each in a thread of its own, so that none waits for another. */
#ifndef RELAY_RELAY_H
#define RELAY_RELAY_H

#include "relay/traces.h"

/* Viewers at a time; more are disconnected. */
#define RELAY_VIEWERS_MAX 256

/* Serves the viewers that connect to a listening socket, until `end_fd` can be read. */
void relay_run(const struct relay_options *options, int listener, int end_fd);

#endif
