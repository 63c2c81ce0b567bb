/* The compile cache in the folder $CETANE_CACHE_DIR. */
#ifndef TOOLS_LIB_CACHE_H
#define TOOLS_LIB_CACHE_H

#include <time.h>

#include "tools/lib/lib.h"

enum { TOOL_CACHE_KEY = 65 };
/* The key of the request; false if there is no cache, or the request is none for it. */
bool tool_cache_key(const struct tool_request *q, char key[TOOL_CACHE_KEY]);
/* Add to "reply" what the cache has for "key"; false if it has nothing. */
bool tool_cache_read(const char *key, struct tool_reply *reply);
/* Keep the reply of a request that went well. What fails is no error. */
void tool_cache_write(const char *key, const struct tool_reply *reply);

struct tool_cache_entry {
	char *path;
	int64_t size;		/* bytes */
	struct timespec used;	/* for the last time */
};
struct tool_cache_list {
	struct tool_cache_entry *entry;	/* the oldest use first */
	int n;
	int64_t size;		/* of all, in bytes */
};
/* The entries; false if the folder cannot be read. Call tool_cache_free in any case. */
bool tool_cache_read_folder(struct tool_cache_list *list);
void tool_cache_free(struct tool_cache_list *list);
/* Bytes that all entries may have: $CETANE_CACHE_SIZE, such as 500M, or 1G. */
int64_t tool_cache_limit(void);
/* If all have more than "most" bytes, remove the oldest ones; returns how many. */
int tool_cache_prune(int64_t most);
/* Remove entries that are damaged; returns how many. */
int tool_cache_verify(void);

#endif
