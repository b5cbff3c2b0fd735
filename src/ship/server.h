/* SPDX-License-Identifier: MIT */
/*
 * The servers of a destination, and requests to them: ClickHouse's HTTP interface. Each
 * server has the rows of a part of the processes. One thread at a time for each server.
 */
#ifndef SHIP_SERVER_H
#define SHIP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "http/http.h"
#include "text/out.h"

enum server_result {
	SERVER_DONE,
	SERVER_REFUSED, /* an answer that is an error, or a certificate that is not trusted */
	SERVER_UNREACHED, /* no answer: what was asked for may have been done */
};

struct servers;

struct server {
	const struct servers *of;
	char *replicas; /* host:port, between '|'; constant */
	const char *at; /* the one that is asked, among them */
	char *name; /* its host:port */
	struct http http;
	char error[512]; /* of the last request */
	bool has_async_inserts; /* collects rows of several requests, unless told otherwise */
	int64_t ahead_s; /* its clock less this host's, 0 if that is unsure; atomic; INT64_MIN:
			    unknown */
	int64_t ahead_ns; /* the same as it was measured */
	int64_t unsure_ns; /* how wrong that may be; 0: not measured */
	const bool *is_ended; /* atomic: break requests off; NULL: never */
};

/* A destination. */
struct servers {
	VEC(struct server) all;
	char *database;
	char *user;
	char *password;
	const char *authority; /* file of certificates; NULL: the system's */
	bool is_encrypted;
	char error[512]; /* why the destination is none */
};

/*
 * Reads clickhouse://[USER[:PASSWORD]@]SERVER[,SERVER...][/DATABASE], or clickhouses:// for TLS; a
 * SERVER is HOST[:PORT], or replicas of one, between '|'. False with the reason in `error`.
 */
bool servers_init(struct servers *s, const char *place);
void servers_fini(struct servers *s);

/* Asks the next replica from now on. False: that is the first one again. */
bool server_next(struct server *s);

/* True if one of `replicas`, host:port between '|', is one of the server's. */
bool server_shares(const struct server *s, const char *replicas);

/*
 * Asks a server; the answer is text, without its last newline. The caller frees it.
 */
enum server_result server_ask(struct server *s, const char *query, struct out *answer);

/* The body of an INSERT. */
struct server_rows {
	const char *query; /* up to its FORMAT */
	const char *id; /* names the request while it runs */
	const void *frames; /* format/clickhouse.h */
	size_t size;
};

enum server_result server_insert(struct server *s, const struct server_rows *rows);

#endif
