/* The verb lsp: messages of JSON-RPC, one after the other. Texts come whole; each is
 * checked when it is opened or changed. Positions are in units of UTF-16.
 *
 * Input and output are the standard ones, as editors expect.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/lsp/lsp.h"

/* Errors of JSON-RPC and of the protocol by their numbers. */
enum { PARSE_ERROR = -32700, NO_METHOD = -32601, NOT_READY = -32002,
	BAD_REQUEST = -32600 };
/* A message longer than that ends the server. */
static const size_t MESSAGE_MOST = 64 << 20;

/* The documents that are open, as a list. "down" is set by shutdown, "done" by
 * exit.
 */
struct server {
	struct tool_document *document;
	bool ready, down, done;
	enum tool_exit status;
};

/* ----------------------------------------------------------------- messages */

/* The length that the header in front of a message tells; false at the end.
 *
 * Other headers are skipped over. Without a length it is 0: an empty message is
 * no JSON.
 */
static bool read_header(size_t *len)
{
	static const char name[] = "Content-Length:";
	char line[256];

	*len = 0;
	while (fgets(line, sizeof(line), stdin)) {
		if (!strcmp(line, "\r\n") || !strcmp(line, "\n"))
			return true;
		if (!strncasecmp(line, name, strlen(name)))
			*len = strtoul(line + strlen(name), NULL, 10);
	}
	return false;
}

/* Each message is flushed: the client waits for it. */
static void send_text(const struct poly_str *s)
{
	if (s->failed)
		return;
	printf("Content-Length: %zu\r\n\r\n", s->len);
	fwrite(s->s, 1, s->len, stdout);
	fflush(stdout);
}

/* Append the member "id" of an answer.
 *
 * An id is a number or a text, and comes back as it was.
 */
static void add_id(struct poly_str *s, const struct tool_json *id)
{
	if (id && id->kind == TOOL_JSON_TEXT)
		tool_json_text(s, id->text);
	else if (id && id->kind == TOOL_JSON_NUMBER)
		poly_str_printf(s, "%.17g", id->number);
	else
		poly_str_add(s, "null");
}

/* "result" is JSON already. */
static void answer(const struct tool_json *id, const char *result)
{
	struct poly_str s = { 0 };

	poly_str_add(&s, "{\"jsonrpc\": \"2.0\", \"id\": ");
	add_id(&s, id);
	poly_str_printf(&s, ", \"result\": %s}", result);
	send_text(&s);
	poly_str_free(&s);
}

/* The error of a request; notices are never refused. */
static void refuse(const struct tool_json *id, int code, const char *text)
{
	struct poly_str s = { 0 };

	poly_str_add(&s, "{\"jsonrpc\": \"2.0\", \"id\": ");
	add_id(&s, id);
	poly_str_printf(&s, ", \"error\": {\"code\": %d, \"message\": ", code);
	tool_json_text(&s, text);
	poly_str_add(&s, "}}");
	send_text(&s);
	poly_str_free(&s);
}

/* ---------------------------------------------------------------- documents */

/* A document is known by its URI; its file name tells the notation. */

/* "d" has been taken off the list. */
static void free_document(struct tool_document *d)
{
	free(d->uri);
	free(d->file);
	free(d->text);
	free(d);
}

/* Where the pointer to it is, or the end of the list, so that it can be added
 * or taken off.
 */
static struct tool_document **find(struct server *s, const char *uri)
{
	struct tool_document **d = &s->document;

	while (*d && (!uri || strcmp((*d)->uri, uri)))
		d = &(*d)->next;
	return d;
}

/* NULL for one that was closed: the client forgets its messages. */
static void publish(const char *uri, const struct tool_document *d)
{
	struct poly_str s = { 0 };

	poly_str_add(&s, "{\"jsonrpc\": \"2.0\", \"method\": "
		"\"textDocument/publishDiagnostics\", \"params\": {\"uri\": ");
	tool_json_text(&s, uri);
	poly_str_add(&s, ", \"diagnostics\": ");
	if (d)
		tool_lsp_diagnostics(d, &s);
	else
		poly_str_add(&s, "[]");
	poly_str_add(&s, "}}");
	send_text(&s);
	poly_str_free(&s);
}

/* The text of "uri" is "text" from now on.
 *
 * Without memory the document is closed instead of being half there.
 */
static void set_text(struct server *s, const char *uri, const char *text)
{
	struct tool_document **at = find(s, uri), *d = *at;

	if (!uri || !text)
		return;
	if (!d) {
		d = calloc(1, sizeof(*d));
		if (!d)
			return;
		d->uri = strdup(uri);
		d->file = tool_uri_file(uri);
	}
	free(d->text);
	d->text = strdup(text);
	d->len = strlen(text);
	if (!d->uri || !d->file || !d->text) {
		*at = d->next;
		free_document(d);
		return;
	}
	*at = d;
	publish(uri, d);
}

/* What was never opened is ignored. */
static void close_document(struct server *s, const char *uri)
{
	struct tool_document **at = find(s, uri), *d = *at;

	if (!d)
		return;
	*at = d->next;
	free_document(d);
	publish(uri, NULL);
}

/* ----------------------------------------------------------------- requests */

/* Requests are answered in any case, with null if nothing is known. */

/* The name at the position of a request in a text of definitions; NULL if there is none.
 *
 * Notations of C have no names that this server could find.
 */
static const struct tool_document *find_name(struct server *s,
	const struct tool_json *params, size_t *at, size_t *len)
{
	const struct tool_json *text = tool_json_member(params, "textDocument");
	const struct tool_json *place = tool_json_member(params, "position");
	struct tool_document *d = *find(s, tool_json_string(text, "uri"));
	double line = tool_json_number(place, "line", -1);
	double character = tool_json_number(place, "character", -1);

	if (!d || !fe_is_definitions(d->file, d->text, d->len) ||
	    !(line >= 0 && line < 1e9 && character >= 0 && character < 1e9))
		return NULL;
	*at = tool_text_name(d, tool_text_offset(d, (int)line,
		(int)character), len);
	return *len ? d : NULL;
}

/* Answer what is known of the name at the position; null if there is none.
 *
 * The range is the name's: editors mark it.
 */
static void hover(struct server *s, const struct tool_json *id,
	const struct tool_json *params)
{
	struct poly_str text = { 0 }, result = { 0 };
	const struct tool_document *d;
	size_t at, len;
	char *name;

	d = find_name(s, params, &at, &len);
	name = d ? strndup(d->text + at, len) : NULL;
	if (name)
		tool_lsp_hover(d, name, &text);
	if (text.len) {
		poly_str_add(&result, "{\"contents\": {\"kind\": \"markdown\", "
			"\"value\": ");
		tool_json_text(&result, text.s);
		poly_str_add(&result, "}, \"range\": ");
		tool_text_range(d, at, len, &result);
		poly_str_add(&result, "}");
	}
	answer(id, result.len ? result.s : "null");
	poly_str_free(&text);
	poly_str_free(&result);
	free(name);
}

/* Where the name is defined, in the same document. */
static void define(struct server *s, const struct tool_json *id,
	const struct tool_json *params)
{
	struct poly_str result = { 0 };
	const struct tool_document *d;
	size_t at, len, found;

	d = find_name(s, params, &at, &len);
	if (d && tool_text_definition(d, at, len, &found)) {
		poly_str_add(&result, "{\"uri\": ");
		tool_json_text(&result, d->uri);
		poly_str_add(&result, ", \"range\": ");
		tool_text_range(d, found, len, &result);
		poly_str_add(&result, "}");
	}
	answer(id, result.len ? result.s : "null");
	poly_str_free(&result);
}

/* The whole text is replaced by what cetane fmt makes of it.
 *
 * If the text cannot be formatted nothing is changed; the messages about it
 * come with the diagnostics. One with the character 0 cannot be sent back.
 */
static void format(struct server *s, const struct tool_json *id,
	const struct tool_json *params)
{
	const struct tool_json *text = tool_json_member(params, "textDocument");
	struct tool_document *d = *find(s, tool_json_string(text, "uri"));
	struct poly_str result = { 0 }, out = { 0 };
	struct poly_report report = { 0 };

	if (d && !strstr(d->text, TOOL_JSON_ZERO) &&
	    fe_is_definitions(d->file, d->text, d->len) &&
	    fe_format(d->file, d->text, d->len, &out, &report)) {
		poly_str_add(&result, "[{\"range\": ");
		tool_text_range(d, 0, d->len, &result);
		poly_str_add(&result, ", \"newText\": ");
		tool_json_text(&result, out.s ? out.s : "");
		poly_str_add(&result, "}]");
	}
	poly_report_free(&report);
	answer(id, result.len ? result.s : "null");
	poly_str_free(&result);
	poly_str_free(&out);
}

/* What the server can do. Positions are in UTF-16, and texts come whole. */
static void initialize(struct server *s, const struct tool_json *id)
{
	s->ready = true;
	answer(id, "{\"capabilities\": {\"positionEncoding\": \"utf-16\", "
		"\"textDocumentSync\": {\"openClose\": true, \"change\": 1}, "
		"\"hoverProvider\": true, \"definitionProvider\": true, "
		"\"documentFormattingProvider\": true}, \"serverInfo\": "
		"{\"name\": \"cetane\", \"version\": \"" CETANE_VERSION "\"}}");
}

/* Answer the request "method", or refuse it: initialize must be the first, shutdown the
 * last, as the protocol says.
 *
 * What is not known is refused by its name.
 */
static void serve_request(struct server *s, const char *method,
	const struct tool_json *id, const struct tool_json *params)
{
	if (!strcmp(method, "initialize")) {
		initialize(s, id);
	} else if (!s->ready) {
		refuse(id, NOT_READY, "initialize comes first");
	} else if (s->down) {
		refuse(id, BAD_REQUEST, "the server is shut down");
	} else if (!strcmp(method, "shutdown")) {
		s->down = true;
		answer(id, "null");
	} else if (!strcmp(method, "textDocument/hover")) {
		hover(s, id, params);
	} else if (!strcmp(method, "textDocument/definition")) {
		define(s, id, params);
	} else if (!strcmp(method, "textDocument/formatting")) {
		format(s, id, params);
	} else {
		refuse(id, NO_METHOD, method);
	}
}

/* The text of the last of the changes, which is all of it.
 *
 * Several changes in one notice are each a whole text.
 */
static const char *changed_text(const struct tool_json *params)
{
	const struct tool_json *list = tool_json_member(params,
		"contentChanges");

	return list && list->kind == TOOL_JSON_LIST && list->n ?
		tool_json_string(&list->item[list->n - 1], "text") : NULL;
}

/* Notices get no answer. Before initialize and behind shutdown all but exit are
 * ignored.
 */
static void notice(struct server *s, const char *method,
	const struct tool_json *params)
{
	const struct tool_json *d = tool_json_member(params, "textDocument");
	const char *uri = tool_json_string(d, "uri");

	if (!strcmp(method, "exit")) {
		s->done = true;
		/* An exit without a shutdown is an error, as the protocol says.
		 */
		s->status = s->down ? TOOL_OK : TOOL_INPUT;
	} else if (!s->ready || s->down || !uri) {
		return;
	} else if (!strcmp(method, "textDocument/didOpen")) {
		set_text(s, uri, tool_json_string(d, "text"));
	} else if (!strcmp(method, "textDocument/didChange")) {
		set_text(s, uri, changed_text(params));
	} else if (!strcmp(method, "textDocument/didClose")) {
		close_document(s, uri);
	}
}

/* Serve one message of the client, a request or a notification; answers to requests
 * of ours are let go, as there are none.
 *
 * What has neither a method nor an id is wrong.
 */
static void serve(struct server *s, const char *text, size_t len)
{
	struct tool_json m;
	const struct tool_json *id, *params;
	const char *method;

	if (!tool_json_read(&m, text, len)) {
		refuse(NULL, PARSE_ERROR, "this is no JSON");
		return;
	}
	id = tool_json_member(&m, "id");
	params = tool_json_member(&m, "params");
	method = tool_json_string(&m, "method");
	if (method && id)
		serve_request(s, method, id, params);
	else if (method)
		notice(s, method, params);
	else if (!id)
		refuse(NULL, BAD_REQUEST, "a message has no method");
	tool_json_free(&m);
}

/* Ends with exit, or when the input ends. */
enum tool_exit tool_lsp(struct tool_options *o)
{
	struct server s = { .status = TOOL_INPUT };
	struct tool_document *d;
	char *text;
	size_t len;

	(void)o;
	while (!s.done && read_header(&len)) {
		text = len <= MESSAGE_MOST ? malloc(len + 1) : NULL;
		if (!text || fread(text, 1, len, stdin) != len) {
			free(text);
			break;
		}
		serve(&s, text, len);
		free(text);
	}
	while ((d = s.document)) {
		s.document = d->next;
		free_document(d);
	}
	return s.status;
}
