/* SPDX-License-Identifier: MIT */
/* Renders objects of random shapes from one seed, so that each call renders the same output. */
#include "nodes.h"

#include "base/compiler.h"

static uint64_t next(struct node *n)
{
	n->seed ^= n->seed << 13;
	n->seed ^= n->seed >> 7;
	n->seed ^= n->seed << 17;
	return n->seed;
}

static const char *const texts[] = { "", "a", "id", "two words", "é\n日\t\"q\"\\", "\xff\xc3(",
	"0x" };

static const char *text_of(struct node *n)
{
	return texts[next(n) % ARRAY_SIZE(texts)];
}

/* Returns a leaf of any kind. */
static struct waymark_debug leaf(struct node *n)
{
	uint64_t kind = next(n) % WAYMARK_DEBUG_BYTES;
	uint64_t bits = next(n) >> next(n) % 64;
	float f32;
	double f64;
	const struct waymark_debug leaves[] = {
		waymark_debug_u8((uint8_t)bits),
		waymark_debug_u16((uint16_t)bits),
		waymark_debug_u32((uint32_t)bits),
		waymark_debug_u64(bits),
		waymark_debug_i8((int8_t)bits),
		waymark_debug_i16((int16_t)bits),
		waymark_debug_i32((int32_t)bits),
		waymark_debug_i64((int64_t)bits),
		waymark_debug_u128(waymark_u128_of(bits, next(n))),
		waymark_debug_i128(waymark_i128_of(bits << 8, next(n))),
		waymark_debug_f32((memcpy(&f32, &bits, sizeof(f32)), f32)),
		waymark_debug_f64((memcpy(&f64, &bits, sizeof(f64)), f64)),
		waymark_debug_bool(bits & 1),
		waymark_debug_char((uint32_t)bits & 0x1fffff),
		waymark_debug_pointer((const void *)(uintptr_t)bits),
		waymark_debug_string(bits & 1 ? NULL : text_of(n)),
		waymark_debug_bytes(&bits, bits % 8),
	};

	if (kind == WAYMARK_DEBUG_BYTES) {
		return waymark_debug_bytes("\0\1\377 ", bits % 5);
	}
	return leaves[kind];
}

/* Returns a value; every second value is an object. */
static struct waymark_debug child(struct node *n, struct node *room)
{
	*room = (struct node){ next(n) | 1, n->depth - 1 };
	return n->depth && next(n) % 2 ? waymark_debug_object(node_put, room) : leaf(n);
}

static void put_fields(struct waymark_group *g, struct node *n)
{
	for (uint64_t count = next(n) % 5; count; count--) {
		struct node a;
		struct node b;

		if (g->kind == 0) {
			waymark_debug_field(g, text_of(n), child(n, &a));
		} else if (next(n) % 2) {
			waymark_debug_entry(g, child(n, &a));
		} else {
			struct waymark_debug key = child(n, &a);

			waymark_debug_pair(g, key, child(n, &b));
		}
	}
	if (next(n) % 4) {
		waymark_debug_end(g);
	} else {
		waymark_debug_end_more(g);
	}
}

static void put_group(struct waymark_formatter *f, struct node *n)
{
	struct waymark_group g;

	switch (next(n) % 5) {
	case 0:
		waymark_debug_struct(&g, f, text_of(n));
		break;
	case 1:
		waymark_debug_tuple(&g, f, text_of(n));
		break;
	case 2:
		waymark_debug_list(&g, f);
		break;
	case 3:
		waymark_debug_set(&g, f);
		break;
	default:
		waymark_debug_map(&g, f);
		break;
	}
	put_fields(&g, n);
}

static void put_simple(struct waymark_formatter *f, struct node *n)
{
	const char *text = text_of(n);
	struct node room;

	switch (next(n) % 7) {
	case 0:
		waymark_debug_name(f, text);
		break;
	case 1:
		waymark_debug_unit(f);
		break;
	case 2:
		waymark_debug_none(f);
		break;
	case 3:
		waymark_debug_some(f, child(n, &room));
		break;
	case 4:
		waymark_debug_value(f, child(n, &room));
		break;
	case 5:
		waymark_debug_verbatim(f, text, strlen(text));
		break;
	default:
		break; /* calls nothing */
	}
}

void node_put(struct waymark_formatter *f, const void *object)
{
	struct node n = *(const struct node *)object;

	if (next(&n) % 3) {
		put_group(f, &n);
	} else {
		put_simple(f, &n);
	}
}
