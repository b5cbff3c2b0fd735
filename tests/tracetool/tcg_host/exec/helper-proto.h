/* SPDX-License-Identifier: MIT */
/* The prototypes of all helpers. */
#ifndef TCG_HOST_HELPER_PROTO_H
#define TCG_HOST_HELPER_PROTO_H

#include "cpu.h"

/* The types of a helper's arguments, named as in DEF_HELPER_FLAGS_n(). */
#define HELPER_TYPE_i32 uint32_t
#define HELPER_TYPE_i64 uint64_t
#define HELPER_TYPE_ptr void *
#define HELPER_TYPE_tl target_ulong
#define HELPER_TYPE_env CPUArchState *

#define DEF_HELPER_FLAGS_0(name, flags, ret) ret helper_##name(void);
#define DEF_HELPER_FLAGS_1(name, flags, ret, t1) ret helper_##name(HELPER_TYPE_##t1);
#define DEF_HELPER_FLAGS_2(name, flags, ret, t1, t2) \
	ret helper_##name(HELPER_TYPE_##t1, HELPER_TYPE_##t2);
#define DEF_HELPER_FLAGS_3(name, flags, ret, t1, t2, t3) \
	ret helper_##name(HELPER_TYPE_##t1, HELPER_TYPE_##t2, HELPER_TYPE_##t3);
#define DEF_HELPER_FLAGS_4(name, flags, ret, t1, t2, t3, t4) \
	ret helper_##name(HELPER_TYPE_##t1, HELPER_TYPE_##t2, HELPER_TYPE_##t3, HELPER_TYPE_##t4);
#define DEF_HELPER_FLAGS_5(name, flags, ret, t1, t2, t3, t4, t5)                                  \
	ret helper_##name(HELPER_TYPE_##t1, HELPER_TYPE_##t2, HELPER_TYPE_##t3, HELPER_TYPE_##t4, \
		HELPER_TYPE_##t5);
#define DEF_HELPER_FLAGS_6(name, flags, ret, t1, t2, t3, t4, t5, t6)                              \
	ret helper_##name(HELPER_TYPE_##t1, HELPER_TYPE_##t2, HELPER_TYPE_##t3, HELPER_TYPE_##t4, \
		HELPER_TYPE_##t5, HELPER_TYPE_##t6);
#define DEF_HELPER_FLAGS_7(name, flags, ret, t1, t2, t3, t4, t5, t6, t7)                          \
	ret helper_##name(HELPER_TYPE_##t1, HELPER_TYPE_##t2, HELPER_TYPE_##t3, HELPER_TYPE_##t4, \
		HELPER_TYPE_##t5, HELPER_TYPE_##t6, HELPER_TYPE_##t7);

#include "trace/generated-helpers.h"

#undef DEF_HELPER_FLAGS_0
#undef DEF_HELPER_FLAGS_1
#undef DEF_HELPER_FLAGS_2
#undef DEF_HELPER_FLAGS_3
#undef DEF_HELPER_FLAGS_4
#undef DEF_HELPER_FLAGS_5
#undef DEF_HELPER_FLAGS_6
#undef DEF_HELPER_FLAGS_7

#endif
