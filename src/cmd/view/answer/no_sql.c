/* SPDX-License-Identifier: MIT */
/* Questions in SQL, in a build without SQLite: the page then shows no field for them. */
#include "cmd/view/answer/answers.h"

const bool answer_has_sql = false;

unsigned int answer_sql(struct viewer *v, const struct question *q, struct out *out)
{
	(void)v;
	(void)q;
	return answer_refuse(out, "query", "a build with SQLite");
}

unsigned int answer_queries(struct viewer *v, const struct question *q, struct out *out)
{
	(void)v;
	(void)q;
	out_str(out, "[]");
	return 200;
}
