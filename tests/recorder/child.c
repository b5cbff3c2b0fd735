/* SPDX-License-Identifier: MIT */
/* Starts and limits child processes: see child.h. Called by all tests of the recorder. */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "rt/record/process.h"

/* Restores the signals that cmocka catches, as a normal program has them. */
static void default_signals(void)
{
	static const int signals[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		signal(signals[i], SIG_DFL);
	}
}

int run_with_pid(void (*body)(void), pid_t *pid)
{
	int status = -1;

	fflush(NULL);
	*pid = fork();
	if (*pid == 0) {
		default_signals();
		body();
		exit(0);
	}
	assert_int_equal(waitpid(*pid, &status, 0), *pid);
	return status;
}

int run(void (*body)(void))
{
	pid_t pid;

	return run_with_pid(body, &pid);
}

int run_and_listen(void (*body)(void), char *said, size_t size)
{
	int saved = dup(STDERR_FILENO);
	int fd = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int status;

	dup2(fd, STDERR_FILENO);
	status = run(body);
	dup2(saved, STDERR_FILENO);
	close(saved);
	ssize_t n = pread(fd, said, size - 1, 0);

	said[n > 0 ? n : 0] = '\0';
	close(fd);
	return status;
}

pid_t fork_calmly(void)
{
	const struct process *p = waymark_process_current();

	for (int ms = 0; UNDER_SANITIZER && p && ms < 1000; ms++) {
		if (__atomic_load_n(&p->writer, __ATOMIC_ACQUIRE) != WRITER_STARTING) {
			break;
		}
		sleep_ms(1);
	}
	return fork();
}

/* A child that takes longer than this is considered hanging. */
void wait_for(pid_t pid)
{
	int status;

	for (unsigned int ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms++) {
		if (ms > 20000) {
			kill(pid, SIGKILL);
			exit(3);
		}
		sleep_ms(1);
	}
	if (status) {
		fprintf(stderr, "child %d ended with status 0x%x\n", pid, status);
		exit(4);
	}
}

void forbid_call(unsigned int number, uint32_t bits, int error)
{
	const struct sock_filter of_bits = BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
	const struct sock_filter of_all = BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0, 0, 1);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		bits ? of_bits : of_all,
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		_exit(77);
	}
}

void limit_memory(void)
{
	struct rlimit limit = { 1u << 20, 1u << 20 };

	setrlimit(RLIMIT_AS, &limit);
	if (mmap(NULL, 2u << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {
		_exit(77);
	}
}

static struct {
	pid_t reader;
	int open; /* keeps the FIFO open until the end */
	int told; /* a byte written here starts the reader */
} slow_file;

static void copy_when_told(int told, const char *fifo, const char *copy)
{
	char byte;

	/* Opens the FIFO before waiting, because all writers may have finished by then. */
	dup2(open(fifo, O_RDONLY), STDIN_FILENO);
	dup2(open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
	close(slow_file.open);
	if (read(told, &byte, 1) == 1) {
		execlp("cat", "cat", NULL);
	}
	_exit(1);
}

void make_slow_file(const char *fifo, const char *copy)
{
	int told[2];

	unlink(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(pipe(told), 0);
	slow_file.open = open(fifo, O_RDWR);
	slow_file.reader = fork();
	if (slow_file.reader == 0) {
		close(told[1]);
		copy_when_told(told[0], fifo, copy);
	}
	close(told[0]);
	slow_file.told = told[1];
}

void let_slow_file_take(void)
{
	if (write(slow_file.told, "", 1) != 1) {
		_exit(6);
	}
}

void end_slow_file(void)
{
	int status = -1;

	close(slow_file.told);
	close(slow_file.open);
	waitpid(slow_file.reader, &status, 0);
	assert_int_equal(status, 0);
}

bool vfork_shares_memory(void)
{
	volatile bool written = false;
	pid_t pid = vfork();

	if (pid == 0) {
		written = true;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	return written;
}

static void send_a_fault(void)
{
	siginfo_t info = { .si_signo = SIGSEGV, .si_code = SEGV_MAPERR };

	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), SIGSEGV, &info);
}

bool faults_can_be_sent(void)
{
	int status = run(send_a_fault);

	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}
