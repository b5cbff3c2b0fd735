/* SPDX-License-Identifier: MIT */
/* The CPU of a host with QEMU's interfaces, and the types of values in translated code. */
#ifndef TCG_HOST_CPU_H
#define TCG_HOST_CPU_H

#include <stdint.h>

#ifndef TARGET_LONG_BITS
#define TARGET_LONG_BITS 64
#endif

typedef struct CPUState CPUState;
typedef struct CPUArchState CPUArchState;

/* These structs are never defined: the compiler only has to distinguish them. */
typedef struct TCGv_i32_d *TCGv_i32;
typedef struct TCGv_i64_d *TCGv_i64;
typedef struct TCGv_ptr_d *TCGv_ptr;
typedef TCGv_ptr TCGv_env;

#if TARGET_LONG_BITS == 32
typedef uint32_t target_ulong;
#define TCGv TCGv_i32
#else
typedef uint64_t target_ulong;
#define TCGv TCGv_i64
#endif

static inline CPUState *cpu_behind(CPUArchState *env)
{
	return (CPUState *)((uintptr_t)env - 0x1000);
}

/* The name up to QEMU 4.0, and the later one. */
#ifdef OLD_HOST
#define ENV_GET_CPU(env) cpu_behind(env)
#else
#define env_cpu(env) cpu_behind(env)
#endif

#endif
