/* SPDX-License-Identifier: MIT */
/* Work for all users who have memory there, each in a process with that user's rights alone. */
#ifndef CMD_RECOVER_ALL_USERS_H
#define CMD_RECOVER_ALL_USERS_H

/*
 * Calls work(argument) for each user that owns a leftover, living ones included, after giving up
 * all other rights: what a user has planted harms nobody else. Returns the results, or-ed. Root.
 */
int recover_all_users(int (*work)(const void *), const void *argument);

#endif
