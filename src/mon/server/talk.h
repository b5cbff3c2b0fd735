/* SPDX-License-Identifier: MIT */
/*
 * What clients ask for, carried out: the calls of their sessions. They run in the
 * monitor's worker, which has the program's descriptors; where there is none,
 * in the caller.
 */
#ifndef MON_TALK_H
#define MON_TALK_H

struct client;

/* A client may have so much of answers waiting; what an answer makes more closes it. */
#define TALK_UNSENT_MAX (16u << 20)

/* Creates the session and greets. Without memory the client is dead. */
void talk_begin(struct client *c);

/* Feeds what it said, a line at a time, until all is heard or there is something to send. */
void talk_go_on(struct client *c);

/* Destroys the session. */
void talk_end(struct client *c);

#endif
