/* SPDX-License-Identifier: MIT */
/*
 * SQLite's interface. A loadable extension calls it through the table that its program passes, the
 * command through the library.
 */
#ifndef SQL_SQLITE_H
#define SQL_SQLITE_H

#ifdef SQL_EXTENSION
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;
#else
#include <sqlite3.h>
#endif

#endif
