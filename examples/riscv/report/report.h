/* SPDX-License-Identifier: MIT */
/*
 * What a trace of the machine tells of its guest: the harts' instructions, their
 * paths through the guest's functions, the disk's requests. Data goes one way: a
 * record is read (main.c), taken by its part, and printed at the end. Nothing of a
 * trace is believed: events may be missing, and in any order.
 */
#ifndef RISCV_REPORT_REPORT_H
#define RISCV_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORD_VALUES 4

/* An event, as its row of the table in main.c wants it. */
struct record {
	uint64_t ns; /* of the trace's clock */
	uint32_t thread;
	uint64_t values[RECORD_VALUES]; /* of the row's fields, in their order */
	char text[64]; /* of the field that is a string */
};

/* realloc() that ends the program where there is no memory. */
void *report_resize(void *old, size_t bytes);

/* functions.c: which function an address belongs to. */
struct function {
	uint64_t address; /* of its first instruction */
	char name[64];
};

struct functions {
	struct function **all;
	size_t count;
	bool sorted;
};

void functions_add(struct functions *functions, uint64_t address, const char *name);
/* The last one that begins there or before. What has no name is "?"; never NULL. */
const struct function *functions_find(struct functions *functions, uint64_t address);
void functions_fini(struct functions *functions);

/* path.c: a hart's way through functions, as a tree of calls. */
#define PATH_DEPTH 48 /* calls within calls; deeper ones count for the last of these */

struct node {
	const struct function *function;
	bool trap; /* a handler, called by no instruction */
	struct node *parent;
	struct node *children; /* in the order of their first calls */
	struct node *next;
	uint64_t calls;
	uint64_t instructions; /* its own, not those of what it calls */
	uint64_t ns;
};

struct frame {
	struct node *node;
	uint64_t from; /* behind the last block before it */
	bool trap;
};

struct path {
	struct node root; /* of no function */
	struct frame frames[PATH_DEPTH];
	unsigned int depth; /* 0: nobody knows where the hart is */
	uint64_t block; /* the last block, from here */
	uint64_t block_end; /* to here */
	uint64_t since; /* what is not yet counted of the time */
	bool trapped; /* the next block is the handler's */
};

/* The hart has begun this block of so many instructions. */
void path_block(struct path *path, const struct record *record, const struct function *function,
	uint64_t pc, uint64_t instructions);
/* It goes to its handler; returns how many instructions of the block it has not executed. */
uint64_t path_trap(struct path *path, uint64_t pc);
void path_interrupt(struct path *path);
void path_return(struct path *path); /* from the handler */
void path_pause(struct path *path, uint64_t ns); /* it sleeps from here on, or ends */
uint64_t path_resume(struct path *path, uint64_t ns); /* it wakes; returns how long it slept */
void path_forget(struct path *path); /* events are missing: it can be anywhere */
void path_print(const struct path *path);
void path_fini(struct path *path);

/* harts.c: a row a hart. */
#define HARTS 64 /* the machine has fewer; a trace that tells of more is none of its */

#define HART_UNKNOWN UINT64_MAX

struct hart {
	uint64_t cpu; /* which tells them apart */
	uint64_t number; /* or HART_UNKNOWN */
	uint32_t thread;
	uint64_t instructions; /* by its blocks */
	uint64_t counted; /* by the machine */
	bool ended; /* and then the machine has counted */
	uint64_t blocks;
	uint64_t accesses;
	uint64_t traps;
	uint64_t interrupts;
	uint64_t slept; /* ns */
	struct path path;
};

struct harts {
	struct hart all[HARTS];
	unsigned int count;
};

/* The hart with that address; it is added where it is new. NULL: there are too many. */
struct hart *harts_get(struct harts *harts, uint64_t cpu);
/* Events of this thread are missing. */
void harts_forget(struct harts *harts, uint32_t thread);
void harts_print(struct harts *harts);
void harts_fini(struct harts *harts);

/* requests.c: from submit to complete, by their correlator. */
struct request {
	uint64_t id;
	uint64_t sector;
	uint64_t sectors;
	char operation[64];
	uint64_t submitted; /* ns; 0: not seen */
	uint64_t begun;
	uint64_t completed;
	uint64_t status;
};

struct requests {
	struct request *all; /* in the order of submission */
	size_t count;
	uint64_t unmatched; /* events of requests whose submission is missing */
};

void requests_submit(struct requests *requests, const struct record *record);
void requests_begin(struct requests *requests, const struct record *record);
void requests_complete(struct requests *requests, const struct record *record);
void requests_print(const struct requests *requests);
void requests_fini(struct requests *requests);

#endif
