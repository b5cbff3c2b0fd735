/* SPDX-License-Identifier: MIT */
/* `waymark recover --all-users`: what each user's processes left, with that user's rights. */
#include "cmd/recover/all_users.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recover/leftover.h"

/* One user's slow disk, or what he has planted to hang this, holds up the others so long. */
#define SECONDS_OF_ONE 600

/* For ever, groups too. A user without a name, as of a container, has no groups. */
static bool become(uid_t uid)
{
	const struct passwd *user = getpwuid(uid);
	gid_t gid = user ? user->pw_gid : (gid_t)65534;

	if (user ? initgroups(user->pw_name, gid) : setgroups(0, NULL)) {
		return false;
	}
	return setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0 && geteuid() == uid;
}

static void work_as(uid_t uid, int (*work)(const void *), const void *argument)
{
	alarm(SECONDS_OF_ONE);
	if (!become(uid)) {
		fprintf(stderr, "waymark recover: cannot become user %u: %s\n", (unsigned int)uid,
			strerror(errno));
		exit(EXIT_FAILURE);
	}
	exit(work(argument));
}

static int work_for(uid_t uid, int (*work)(const void *), const void *argument)
{
	fflush(NULL);
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		work_as(uid, work, argument);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (pid > 0 && WIFEXITED(status)) {
		return WEXITSTATUS(status);
	}
	fprintf(stderr, "waymark recover: user %u: %s; the next run goes on\n", (unsigned int)uid,
		pid < 0			      ? strerror(errno)
		: WTERMSIG(status) == SIGALRM ? "it takes more than ten minutes"
					      : strsignal(WTERMSIG(status)));
	return EXIT_FAILURE;
}

static bool is_first_of_user(const struct leftovers *l, const struct leftover *o)
{
	vec_foreach (const struct leftover *, other, &l->all) {
		if (other->uid == o->uid) {
			return other == o;
		}
	}
	return true;
}

int recover_all_users(int (*work)(const void *), const void *argument)
{
	struct leftovers l;
	int status = EXIT_SUCCESS;

	if (chdir("/") != 0) {
		return EXIT_FAILURE;
	}
	leftovers_find(&l);
	vec_foreach (const struct leftover *, o, &l.all) {
		if (is_first_of_user(&l, o)) {
			status |= work_for(o->uid, work, argument);
		}
	}
	leftovers_fini(&l);
	return status;
}
