/* SPDX-License-Identifier: MIT */
/* Declares as much of this header of QEMU as the files of adopt use. */
void qemu_add_opts(QemuOptsList *list);
