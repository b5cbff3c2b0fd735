/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
#ifndef QEMU_OPTION_H
#define QEMU_OPTION_H

enum QemuOptType { QEMU_OPT_STRING };
struct QemuOptsList {
	const char *name, *implied_opt_name;
	void *head;
	struct {
		const char *name;
		enum QemuOptType type;
	} desc[8];
};
#define QTAILQ_HEAD_INITIALIZER(head) NULL

#endif
