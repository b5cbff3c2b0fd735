/* SPDX-License-Identifier: MIT */
/*
 * The symbols of the functions that other files call: libwaymark.a has these files, and takes no
 * other names from programs that are linked with it.
 */
#ifndef EXPR_NAMES_H
#define EXPR_NAMES_H

#define expr_always waymark_expr_always
#define expr_apply waymark_expr_apply
#define expr_bind waymark_expr_bind
#define expr_bound_free waymark_expr_bound_free
#define expr_bound_knows waymark_expr_bound_knows
#define expr_bound_type waymark_expr_bound_type
#define expr_compile waymark_expr_compile
#define expr_eval waymark_expr_eval
#define expr_fail waymark_expr_fail
#define expr_free waymark_expr_free
#define expr_is_true waymark_expr_is_true
#define expr_name waymark_expr_name
#define expr_name_count waymark_expr_name_count
#define expr_node_value waymark_expr_node_value
#define expr_parse waymark_expr_parse
#define expr_program_free waymark_expr_program_free
#define expr_test_nodes waymark_expr_test_nodes
#define expr_text waymark_expr_text
#define expr_truth_is waymark_expr_truth_is
#define expr_value_is waymark_expr_value_is
#define expr_wide waymark_expr_wide

#endif
