/* SPDX-License-Identifier: MIT */
/*
 * Messages of LTTng's protocol for live viewers, version 2.4, as babeltrace2 and lttng-relayd speak
 * it. A viewer sends a struct live_command and the command's request; the relay sends the answer,
 * with the items that it counts. Numbers are big-endian, structs are packed.
 */
#ifndef FORMAT_LTTNG_LIVE_H
#define FORMAT_LTTNG_LIVE_H

#include <stdint.h>

#define LIVE_PORT "5344"
#define LIVE_MAJOR 2u
#define LIVE_MINOR 4u

#define LIVE_HOST_BYTES 64 /* with the NUL, like the next ones */
#define LIVE_NAME_BYTES 255
#define LIVE_PATH_BYTES 4096

enum live_command_number {
	LIVE_CONNECT = 1,
	LIVE_LIST_SESSIONS,
	LIVE_ATTACH,
	LIVE_NEXT_INDEX,
	LIVE_PACKET,
	LIVE_METADATA,
	LIVE_NEW_STREAMS,
	LIVE_CREATE_SESSION,
	LIVE_DETACH,
};

#define LIVE_CLIENT_COMMANDS 1u /* type of a connection */

enum live_attach_status {
	LIVE_ATTACH_OK = 1,
	LIVE_ATTACH_ALREADY,
	LIVE_ATTACH_UNKNOWN,
	LIVE_ATTACH_NOT_LIVE,
	LIVE_ATTACH_BAD_SEEK,
	LIVE_ATTACH_NO_SESSION, /* the viewer has not created one */
};

/* Where a viewer wants to begin; babeltrace2 always wants the last. */
enum live_seek { LIVE_SEEK_BEGINNING = 1, LIVE_SEEK_LAST };

enum live_index_status {
	LIVE_INDEX_OK = 1,
	LIVE_INDEX_RETRY,
	LIVE_INDEX_ENDED, /* the stream has no more packets */
	LIVE_INDEX_ERROR,
	LIVE_INDEX_INACTIVE, /* no events before timestamp_end */
};

/* Flags of indexes: what the viewer must ask for before it reads the packet. */
#define LIVE_FLAG_METADATA 1u
#define LIVE_FLAG_STREAMS 2u

/* LIVE_PACKET_RETRY: the viewer asks again, as after LIVE_INDEX_RETRY. */
enum live_packet_status { LIVE_PACKET_OK = 1, LIVE_PACKET_RETRY, LIVE_PACKET_ERROR };

/* LIVE_METADATA_NONE: the viewer has all that is there now. */
enum live_metadata_status { LIVE_METADATA_OK = 1, LIVE_METADATA_NONE, LIVE_METADATA_ERROR };

enum live_streams_status {
	LIVE_STREAMS_OK = 1,
	LIVE_STREAMS_NONE,
	LIVE_STREAMS_ERROR,
	LIVE_STREAMS_ENDED, /* the session has no more packets */
};

enum live_detach_status { LIVE_DETACH_OK = 1, LIVE_DETACH_UNKNOWN };

#define LIVE_CREATE_OK 1u

#define LIVE_BYTES __attribute__((packed))

struct live_command {
	uint64_t size; /* of the request */
	uint32_t number;
	uint32_t version;
} LIVE_BYTES;

/* Request and answer of LIVE_CONNECT. */
struct live_connect {
	uint64_t viewer;
	uint32_t major;
	uint32_t minor;
	uint32_t type;
} LIVE_BYTES;

/* An item of the answer to LIVE_LIST_SESSIONS. Its names are those in a viewer's URL. */
struct live_session {
	uint64_t id;
	uint32_t timer_us; /* between two beacons */
	uint32_t clients;
	uint32_t streams;
	char host[LIVE_HOST_BYTES];
	char name[LIVE_NAME_BYTES];
} LIVE_BYTES;

/* Request of LIVE_ATTACH. */
struct live_attach {
	uint64_t session;
	uint64_t offset; /* unused */
	uint32_t seek;
} LIVE_BYTES;

/* Request of a command about a session or a stream. */
struct live_id {
	uint64_t id;
} LIVE_BYTES;

/* An item of the answers to LIVE_ATTACH and LIVE_NEW_STREAMS. */
struct live_stream {
	uint64_t id;
	uint64_t trace; /* streams with the same number are one trace */
	uint32_t is_metadata;
	char path[LIVE_PATH_BYTES];
	char channel[LIVE_NAME_BYTES];
} LIVE_BYTES;

/* Answers that count their items. */
struct live_count {
	uint32_t count;
} LIVE_BYTES;

struct live_status {
	uint32_t status;
} LIVE_BYTES;

struct live_status_count {
	uint32_t status;
	uint32_t count;
} LIVE_BYTES;

/* Answer of LIVE_NEXT_INDEX. */
struct live_index {
	uint64_t offset; /* bytes */
	uint64_t packet_size; /* bits */
	uint64_t content_size; /* bits */
	uint64_t timestamp_begin;
	uint64_t timestamp_end;
	uint64_t events_discarded;
	uint64_t class; /* id of the class of streams */
	uint32_t status;
	uint32_t flags;
} LIVE_BYTES;

/* Request of LIVE_PACKET: a piece of what the last index announced. */
struct live_packet {
	uint64_t stream;
	uint64_t offset;
	uint32_t size;
} LIVE_BYTES;

struct live_packet_answer {
	uint32_t status;
	uint32_t size; /* of the bytes that follow */
	uint32_t flags;
} LIVE_BYTES;

struct live_metadata_answer {
	uint64_t size; /* of the packet of metadata that follows */
	uint32_t status;
} LIVE_BYTES;

/* The header of a packet of metadata (CTF 1.8, section 7.1), in the byte order of its trace. */
#define LIVE_METADATA_MAGIC UINT32_C(0x75d11d57)

struct live_metadata_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum; /* 0: none */
	uint32_t content_size; /* bits, with the header */
	uint32_t packet_size; /* bits */
	uint8_t compression; /* 0: none, like the next ones */
	uint8_t encryption;
	uint8_t checksum_scheme;
	uint8_t major;
	uint8_t minor;
} LIVE_BYTES;

#endif
