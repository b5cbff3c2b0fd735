/* SPDX-License-Identifier: MIT */
/* The queries of docs/sql.md, which the page offers. */
#ifndef CMD_VIEW_ANSWER_QUERIES_H
#define CMD_VIEW_ANSWER_QUERIES_H

struct view_query {
	const char *group;
	const char *title;
	const char *text;
};

extern const struct view_query view_queries[]; /* ends with a NULL group */

#endif
