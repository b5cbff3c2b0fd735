/* SPDX-License-Identifier: MIT */
/*
 * The bytes of ClickHouse's format Native and of its compressed bodies, as servers from 18.16 on
 * read them over HTTP. A block is: the numbers of columns and rows, then for each column its name,
 * its type and its values. Numbers before texts and blocks are LEB128; values are little-endian.
 */
#ifndef FORMAT_CLICKHOUSE_H
#define FORMAT_CLICKHOUSE_H

/*
 * A column of LowCardinality(String): CLICKHOUSE_WORDS_VERSION, the width of its numbers with
 * CLICKHOUSE_WORDS_FLAGS, the number of words and the words, the number of rows and their numbers.
 * The first four are u64.
 */
#define CLICKHOUSE_WORDS_VERSION 1
#define CLICKHOUSE_WORDS_FLAGS 0x600 /* the words follow, and are new */
#define CLICKHOUSE_WORDS_OF_8 0
#define CLICKHOUSE_WORDS_OF_16 1
#define CLICKHOUSE_WORDS_OF_32 2

/*
 * A frame of a compressed body: 16 bytes of a checksum, which may be zero with the setting
 * http_native_compression_disable_checksumming_on_decompress; the method; u32: the size from the
 * method on; u32: the size of the content. A body is a row of frames.
 */
#define CLICKHOUSE_FRAME_CHECKSUM 16
#define CLICKHOUSE_FRAME_HEAD (CLICKHOUSE_FRAME_CHECKSUM + 9)
#define CLICKHOUSE_FRAME_LZ4 0x82
#define CLICKHOUSE_FRAME_CONTENT (1u << 20) /* of our frames, in bytes */

#endif
