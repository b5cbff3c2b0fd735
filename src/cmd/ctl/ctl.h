/* SPDX-License-Identifier: MIT */
/* The parts of `waymark ctl`: its commands stand in a table in waymark_ctl.c. */
#ifndef CMD_CTL_CTL_H
#define CMD_CTL_CTL_H

#include <stdbool.h>

#include "cmd/ctl/monitor_client.h"

/* One run. */
struct ctl {
	struct monitor_client client;
	const char *target; /* as the user named it */
	char **words; /* behind the command's name */
	int count;
	const char *backend; /* --backend */
	long vcpu; /* --vcpu */
	bool has_vcpu;
	bool json;
	bool only_on; /* --on */
	bool only_names; /* --names */
	bool events; /* --events */
	bool threads; /* --threads */
	char error[SOCKET_ERROR_SIZE +
		   256]; /* why nothing was returned, where it is not the client's */
};

/* Says why a command failed. Returns NULL. */
json_t *ctl_fail(struct ctl *ctl, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Runs a command of the monitor; takes `arguments` over. */
json_t *ctl_call(struct ctl *ctl, const char *command, json_t *arguments);

/* The functions of the table: what was returned, or NULL. */
json_t *ctl_list(struct ctl *ctl);
json_t *ctl_on(struct ctl *ctl);
json_t *ctl_off(struct ctl *ctl);
json_t *ctl_categories(struct ctl *ctl);
json_t *ctl_stats(struct ctl *ctl);
json_t *ctl_flush(struct ctl *ctl);
json_t *ctl_snapshot(struct ctl *ctl);
json_t *ctl_file(struct ctl *ctl);
json_t *ctl_monitor(struct ctl *ctl);
json_t *ctl_qmp(struct ctl *ctl);

/* What is shown of it to people. */
void ctl_print_list(const struct ctl *ctl, const json_t *result);
void ctl_print_categories(const struct ctl *ctl, const json_t *result);
void ctl_print_stats(const struct ctl *ctl, const json_t *result);
void ctl_print_path(const struct ctl *ctl, const json_t *result);
void ctl_print_file(const struct ctl *ctl, const json_t *result);
void ctl_print_text(const struct ctl *ctl, const json_t *result);
void ctl_print_json(const struct ctl *ctl, const json_t *result);

#endif
