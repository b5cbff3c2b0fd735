/* SPDX-License-Identifier: MIT */
/* Answers about a running process's events in a build without the monitor. */
#include "cmd/view/answer/answers.h"

static unsigned int refuse(struct out *out)
{
	out_str(out, "{\"error\":\"this build has no monitor\"}");
	return 400;
}

unsigned int answer_events(struct viewer *v, const struct question *q, struct out *out)
{
	(void)v;
	(void)q;
	return refuse(out);
}

unsigned int answer_switch(struct viewer *v, const struct question *q, struct out *out)
{
	(void)v;
	(void)q;
	return refuse(out);
}
