/* SPDX-License-Identifier: MIT */
/*
 * The linker's names for the functions of src/brace. These are in libwaymark.a, and a program that
 * links with it may use any name that does not begin with waymark_. Each header that declares such
 * functions includes this file; a test finds names that are missing here.
 */
#ifndef BRACE_NAMES_H
#define BRACE_NAMES_H

#define brace_accepts waymark_brace_accepts
#define brace_bool_put waymark_brace_bool_put
#define brace_bytes_put waymark_brace_bytes_put
#define brace_call waymark_brace_call
#define brace_char_put waymark_brace_char_put
#define brace_decimal_digits waymark_brace_decimal_digits
#define brace_decimal_increment waymark_brace_decimal_increment
#define brace_decimal_places waymark_brace_decimal_places
#define brace_decimal_round waymark_brace_decimal_round
#define brace_decimal_set waymark_brace_decimal_set
#define brace_decimal_shortest waymark_brace_decimal_shortest
#define brace_decimal_trim waymark_brace_decimal_trim
#define brace_descriptor_put waymark_brace_descriptor_put
#define brace_duration_put waymark_brace_duration_put
#define brace_exponent_put waymark_brace_exponent_put
#define brace_float_put waymark_brace_float_put
#define brace_format waymark_brace_format
#define brace_integer_put waymark_brace_integer_put
#define brace_next waymark_brace_next
#define brace_number_add waymark_brace_number_add
#define brace_number_put waymark_brace_number_put
#define brace_number_sign waymark_brace_number_sign
#define brace_padding_of waymark_brace_padding_of
#define brace_parse waymark_brace_parse
#define brace_pointer_put waymark_brace_pointer_put
#define brace_put waymark_brace_put
#define brace_put_fill waymark_brace_put_fill
#define brace_put_mended waymark_brace_put_mended
#define brace_put_text waymark_brace_put_text
#define brace_render waymark_brace_render
#define brace_sink_buffer waymark_brace_sink_buffer
#define brace_sink_callback waymark_brace_sink_callback
#define brace_spec_at waymark_brace_spec_at
#define brace_spec_of waymark_brace_spec_of
#define brace_string_put waymark_brace_string_put
#define brace_tree_build waymark_brace_tree_build
#define brace_tree_put waymark_brace_tree_put
#define brace_unit_put waymark_brace_unit_put
#define brace_value_put waymark_brace_value_put

#endif
