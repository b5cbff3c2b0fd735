/* SPDX-License-Identifier: MIT */
/* For each helper, a function that emits a call of it. */
#ifndef TCG_HOST_HELPER_GEN_H
#define TCG_HOST_HELPER_GEN_H

#include "exec/helper-proto.h"

/* The type of an argument at translation. */
#define TEMP_TYPE_i32 TCGv_i32
#define TEMP_TYPE_i64 TCGv_i64
#define TEMP_TYPE_ptr TCGv_ptr
#define TEMP_TYPE_tl TCGv
#define TEMP_TYPE_env TCGv_env

#define TCG_CALL_NO_RWG 1

/* Converts a word to the type of a helper's argument. */
#define UNPACK(t, n) (HELPER_TYPE_##t)(uintptr_t) arguments[n]

#define DEF_HELPER_FLAGS_0(name, flags, ret)                     \
	static inline void run_##name(const uint64_t *arguments) \
	{                                                        \
		(void)arguments;                                 \
		helper_##name();                                 \
	}                                                        \
	static inline void gen_helper_##name(void)               \
	{                                                        \
		const uintptr_t temps[] = { flags };             \
		emit_call(run_##name, #name, 0, temps);          \
	}

#define DEF_HELPER_FLAGS_1(name, flags, ret, t1)                    \
	static inline void run_##name(const uint64_t *arguments)    \
	{                                                           \
		(void)arguments;                                    \
		helper_##name(UNPACK(t1, 0));                       \
	}                                                           \
	static inline void gen_helper_##name(TEMP_TYPE_##t1 a1)     \
	{                                                           \
		const uintptr_t temps[] = { flags, (uintptr_t)a1 }; \
		emit_call(run_##name, #name, 1, temps);             \
	}

#define DEF_HELPER_FLAGS_2(name, flags, ret, t1, t2)                               \
	static inline void run_##name(const uint64_t *arguments)                   \
	{                                                                          \
		(void)arguments;                                                   \
		helper_##name(UNPACK(t1, 0), UNPACK(t2, 1));                       \
	}                                                                          \
	static inline void gen_helper_##name(TEMP_TYPE_##t1 a1, TEMP_TYPE_##t2 a2) \
	{                                                                          \
		const uintptr_t temps[] = { flags, (uintptr_t)a1, (uintptr_t)a2 }; \
		emit_call(run_##name, #name, 2, temps);                            \
	}

#define DEF_HELPER_FLAGS_3(name, flags, ret, t1, t2, t3)                                          \
	static inline void run_##name(const uint64_t *arguments)                                  \
	{                                                                                         \
		(void)arguments;                                                                  \
		helper_##name(UNPACK(t1, 0), UNPACK(t2, 1), UNPACK(t3, 2));                       \
	}                                                                                         \
	static inline void gen_helper_##name(                                                     \
		TEMP_TYPE_##t1 a1, TEMP_TYPE_##t2 a2, TEMP_TYPE_##t3 a3)                          \
	{                                                                                         \
		const uintptr_t temps[] = { flags, (uintptr_t)a1, (uintptr_t)a2, (uintptr_t)a3 }; \
		emit_call(run_##name, #name, 3, temps);                                           \
	}

#define DEF_HELPER_FLAGS_4(name, flags, ret, t1, t2, t3, t4)                                    \
	static inline void run_##name(const uint64_t *arguments)                                \
	{                                                                                       \
		(void)arguments;                                                                \
		helper_##name(UNPACK(t1, 0), UNPACK(t2, 1), UNPACK(t3, 2), UNPACK(t4, 3));      \
	}                                                                                       \
	static inline void gen_helper_##name(                                                   \
		TEMP_TYPE_##t1 a1, TEMP_TYPE_##t2 a2, TEMP_TYPE_##t3 a3, TEMP_TYPE_##t4 a4)     \
	{                                                                                       \
		const uintptr_t temps[] = { flags, (uintptr_t)a1, (uintptr_t)a2, (uintptr_t)a3, \
			(uintptr_t)a4 };                                                        \
		emit_call(run_##name, #name, 4, temps);                                         \
	}

#define DEF_HELPER_FLAGS_5(name, flags, ret, t1, t2, t3, t4, t5)                                \
	static inline void run_##name(const uint64_t *arguments)                                \
	{                                                                                       \
		(void)arguments;                                                                \
		helper_##name(UNPACK(t1, 0), UNPACK(t2, 1), UNPACK(t3, 2), UNPACK(t4, 3),       \
			UNPACK(t5, 4));                                                         \
	}                                                                                       \
	static inline void gen_helper_##name(TEMP_TYPE_##t1 a1, TEMP_TYPE_##t2 a2,              \
		TEMP_TYPE_##t3 a3, TEMP_TYPE_##t4 a4, TEMP_TYPE_##t5 a5)                        \
	{                                                                                       \
		const uintptr_t temps[] = { flags, (uintptr_t)a1, (uintptr_t)a2, (uintptr_t)a3, \
			(uintptr_t)a4, (uintptr_t)a5 };                                         \
		emit_call(run_##name, #name, 5, temps);                                         \
	}

#define DEF_HELPER_FLAGS_6(name, flags, ret, t1, t2, t3, t4, t5, t6)                            \
	static inline void run_##name(const uint64_t *arguments)                                \
	{                                                                                       \
		(void)arguments;                                                                \
		helper_##name(UNPACK(t1, 0), UNPACK(t2, 1), UNPACK(t3, 2), UNPACK(t4, 3),       \
			UNPACK(t5, 4), UNPACK(t6, 5));                                          \
	}                                                                                       \
	static inline void gen_helper_##name(TEMP_TYPE_##t1 a1, TEMP_TYPE_##t2 a2,              \
		TEMP_TYPE_##t3 a3, TEMP_TYPE_##t4 a4, TEMP_TYPE_##t5 a5, TEMP_TYPE_##t6 a6)     \
	{                                                                                       \
		const uintptr_t temps[] = { flags, (uintptr_t)a1, (uintptr_t)a2, (uintptr_t)a3, \
			(uintptr_t)a4, (uintptr_t)a5, (uintptr_t)a6 };                          \
		emit_call(run_##name, #name, 6, temps);                                         \
	}

#define DEF_HELPER_FLAGS_7(name, flags, ret, t1, t2, t3, t4, t5, t6, t7)                        \
	static inline void run_##name(const uint64_t *arguments)                                \
	{                                                                                       \
		(void)arguments;                                                                \
		helper_##name(UNPACK(t1, 0), UNPACK(t2, 1), UNPACK(t3, 2), UNPACK(t4, 3),       \
			UNPACK(t5, 4), UNPACK(t6, 5), UNPACK(t7, 6));                           \
	}                                                                                       \
	static inline void gen_helper_##name(TEMP_TYPE_##t1 a1, TEMP_TYPE_##t2 a2,              \
		TEMP_TYPE_##t3 a3, TEMP_TYPE_##t4 a4, TEMP_TYPE_##t5 a5, TEMP_TYPE_##t6 a6,     \
		TEMP_TYPE_##t7 a7)                                                              \
	{                                                                                       \
		const uintptr_t temps[] = { flags, (uintptr_t)a1, (uintptr_t)a2, (uintptr_t)a3, \
			(uintptr_t)a4, (uintptr_t)a5, (uintptr_t)a6, (uintptr_t)a7 };           \
		emit_call(run_##name, #name, 7, temps);                                         \
	}

#include "trace/generated-helpers.h"
#include "trace/generated-helpers-wrappers.h"

#undef DEF_HELPER_FLAGS_0
#undef DEF_HELPER_FLAGS_1
#undef DEF_HELPER_FLAGS_2
#undef DEF_HELPER_FLAGS_3
#undef DEF_HELPER_FLAGS_4
#undef DEF_HELPER_FLAGS_5
#undef DEF_HELPER_FLAGS_6
#undef DEF_HELPER_FLAGS_7

#endif
