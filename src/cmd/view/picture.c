/* SPDX-License-Identifier: MIT */
/*
 * Draws a saved page as PNG: by Chromium, which draws it for the user, too. Without a height,
 * Chromium runs twice: the page says how high its tracks are (page/view.js).
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "cmd/view/save.h"

#define ARGUMENT_SIZE 4200

/* Long enough to unpack the largest page; the clock of the page runs ahead while it waits. */
#define BUDGET "--virtual-time-budget=20000"

/* The height of a window that is only asked for that of its tracks, and limits of a picture. */
#define ASK_HEIGHT 600
#define HEIGHT_MIN 100
#define HEIGHT_MAX 4000
#define HEIGHT_MARK "data-height=\""

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

/* Starts the first browser that exists, with its output in a file; returns 0 or an errno. */
static int start(pid_t *pid, char *const *arguments, const sigset_t *mask, const char *output)
{
	static const char *const names[] = { "chromium", "chromium-browser", "google-chrome" };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = ENOENT;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT, 0600);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, mask);
	for (size_t i = 0; i < ARRAY_SIZE(names) && error == ENOENT; i++) {
		error = posix_spawnp(pid, names[i], &actions, &attributes, arguments, environ);
	}
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* A run of Chromium. */
struct run {
	const char *folder; /* with the page, and a profile of its own */
	const sigset_t *mask;
	unsigned int width; /* of its window */
	unsigned int height;
	bool asks; /* writes the page's elements to OUTPUT_NAME, draws nothing */
};

#define OUTPUT_NAME "page.out"

/* Runs Chromium; false, reported, if it fails. */
static bool run(struct session *s, const struct run *r)
{
	char name[] = "chromium";
	char profile[ARGUMENT_SIZE];
	char screenshot[ARGUMENT_SIZE];
	char size[64];
	char page[ARGUMENT_SIZE];
	char output[ARGUMENT_SIZE];
	char asking[] = "--dump-dom";
	char fixed[][40] = { "--headless", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
		"--disable-background-networking", BUDGET, "--no-sandbox" };
	/* As root, Chromium has no sandbox; the page is our own, and loads nothing. */
	size_t fixed_count = ARRAY_SIZE(fixed) - (geteuid() != 0);
	char *arguments[ARRAY_SIZE(fixed) + 6] = { name };
	size_t count = 1;
	int status = 0;
	pid_t pid;

	snprintf(profile, sizeof(profile), "--user-data-dir=%s/profile", r->folder);
	snprintf(screenshot, sizeof(screenshot), "--screenshot=%s/page.png", r->folder);
	snprintf(size, sizeof(size), "--window-size=%u,%u", r->width, r->height);
	snprintf(page, sizeof(page), "file://%s/page.html", r->folder);
	snprintf(output, sizeof(output), "%s/" OUTPUT_NAME, r->folder);
	for (size_t i = 0; i < fixed_count; i++) {
		arguments[count++] = fixed[i];
	}
	arguments[count++] = profile;
	arguments[count++] = r->asks ? asking : screenshot;
	arguments[count++] = size;
	arguments[count++] = page;
	int error = start(&pid, arguments, r->mask, output);

	if (error) {
		session_say(s, "--png needs Chromium (%s); Debian's package is chromium",
			strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		session_say(s, "Chromium could not draw the picture");
		return false;
	}
	return true;
}

/* Returns the height that the page has written into its first element; 0: none. */
static unsigned int read_height(const char *folder)
{
	char path[ARGUMENT_SIZE];
	char begin[1024];

	snprintf(path, sizeof(path), "%s/" OUTPUT_NAME, folder);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, begin, sizeof(begin) - 1) : 0;

	begin[n > 0 ? n : 0] = '\0';
	if (fd >= 0) {
		close(fd);
	}
	const char *mark = strstr(begin, HEIGHT_MARK);

	return mark ? (unsigned int)strtoul(mark + strlen(HEIGHT_MARK), NULL, 10) : 0;
}

static bool draw(struct session *s, const struct save_picture *p, struct run *r)
{
	r->width = p->width;
	r->height = p->height;
	if (r->height == 0) {
		r->height = ASK_HEIGHT;
		r->asks = true;
		if (!run(s, r)) {
			return false;
		}
		r->asks = false;
		r->height = read_height(r->folder);
		r->height = r->height < HEIGHT_MIN ? HEIGHT_MIN : r->height;
		r->height = r->height > HEIGHT_MAX ? HEIGHT_MAX : r->height;
	}
	return run(s, r);
}

/* Writes the page into the folder; false, reported, if that fails. */
static bool write_page(struct session *s, const struct save_picture *p, const char *folder)
{
	char path[ARGUMENT_SIZE];

	snprintf(path, sizeof(path), "%s/page.html", folder);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t done = 0;

	while (fd >= 0 && done < p->page->len) {
		ssize_t n = write(fd, p->page->data + done, p->page->len - done);

		if (n < 0 && errno != EINTR) {
			break;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || done < p->page->len || close(fd) != 0) {
		session_say(s, "%s: cannot write: %s", path, strerror(errno));
		return false;
	}
	return true;
}

/* Copies what Chromium has drawn; false, reported, if there is nothing or it cannot be written. */
static bool copy_picture(struct session *s, const struct save_picture *p, const char *folder)
{
	char path[ARGUMENT_SIZE];
	ssize_t copied = 0;
	ssize_t n = -1;

	snprintf(path, sizeof(path), "%s/page.png", folder);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && (n = sendfile(p->fd, fd, NULL, 1 << 20)) > 0) {
		copied += n;
	}
	if (n < 0) {
		session_say(s, "cannot write the picture: %s", strerror(errno));
	} else if (copied == 0) {
		session_say(s, "Chromium has drawn nothing");
	}
	if (fd >= 0) {
		close(fd);
	}
	return n == 0 && copied > 0;
}

bool save_picture(struct session *s, const struct save_picture *p)
{
	const char *place = getenv("TMPDIR");
	char folder[ARGUMENT_SIZE - 64];
	sigset_t ends;
	sigset_t mask;

	snprintf(
		folder, sizeof(folder), "%s/waymark-view-XXXXXX", place && *place ? place : "/tmp");
	if (!mkdtemp(folder)) {
		session_say(s, "%s: cannot make a folder: %s", folder, strerror(errno));
		return false;
	}
	/* A signal ends Chromium, or waits until the folder is removed. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	sigprocmask(SIG_BLOCK, &ends, &mask);
	bool ok = write_page(s, p, folder) &&
		  draw(s, p, &(struct run){ .folder = folder, .mask = &mask }) &&
		  copy_picture(s, p, folder);

	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return ok;
}
