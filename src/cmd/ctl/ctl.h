/* SPDX-License-Identifier: MIT */
/*
 * The commands of `waymark ctl`. The table in waymark_ctl.c has two functions for each command: one
 * sends a request to the monitor, the other prints the answer.
 */
#ifndef CMD_CTL_CTL_H
#define CMD_CTL_CTL_H

#include <stdbool.h>

#include "cmd/ctl/monitor_client.h"

/* One run of `waymark ctl`. */
struct ctl {
	struct monitor_client client; /* also has the error of every function */
	const struct ctl_command *command;
	const char *target; /* as the user named it */
	char **words; /* the command's arguments */
	int count;
	int timeout_ms;
	unsigned int given; /* options of the command line, as bits */
	const char *backend; /* --backend */
	long vcpu; /* --vcpu */
	bool has_vcpu;
	bool json; /* --json */
	bool only_on; /* --on */
	bool only_names; /* --names */
	bool events; /* --events */
	bool threads; /* --threads */
};

/* Return the result, which the caller releases; NULL if the call failed. */
json_t *ctl_list(struct ctl *ctl);
json_t *ctl_on(struct ctl *ctl);
void ctl_print_misfits(const struct ctl *ctl, const json_t *result);
json_t *ctl_off(struct ctl *ctl);
json_t *ctl_when(struct ctl *ctl);
json_t *ctl_aggregate(struct ctl *ctl);
json_t *ctl_aggregates(struct ctl *ctl);
void ctl_print_aggregates(const struct ctl *ctl, const json_t *result);
json_t *ctl_triggers(struct ctl *ctl);
void ctl_print_triggers(const struct ctl *ctl, const json_t *result);
json_t *ctl_categories(struct ctl *ctl);
json_t *ctl_stats(struct ctl *ctl);
json_t *ctl_flush(struct ctl *ctl);
json_t *ctl_snapshot(struct ctl *ctl);
json_t *ctl_file(struct ctl *ctl);
json_t *ctl_monitor(struct ctl *ctl);
json_t *ctl_qmp(struct ctl *ctl);

/* Print the result as text. */
void ctl_print_list(const struct ctl *ctl, const json_t *result);
void ctl_print_categories(const struct ctl *ctl, const json_t *result);
void ctl_print_stats(const struct ctl *ctl, const json_t *result);
void ctl_print_path(const struct ctl *ctl, const json_t *result);
void ctl_print_file(const struct ctl *ctl, const json_t *result);
void ctl_print_text(const struct ctl *ctl, const json_t *result);
void ctl_print_json(const struct ctl *ctl, const json_t *result);

#endif
