/* The programs in reject/ and accept/: all messages, with place and text.
 *
 * A line that is complained about says so in a comment, once a message:
 *	// ERROR[E201] 9: part of the text
 * The number behind the bracket is the column, "-" if there is no place. A
 * first line "// ARGS: M=5" gives parameters values. At the end every number
 * of the front end must have been seen here or in the limits.
 */
#include <dirent.h>

#include "test.h"

struct expected {
	int number, line, col;
	char text[200];
};

/* The expected messages of "text", in order. Returns their number. */
static int find_expected(const char *text, struct expected *e, int max)
{
	const char *line = text, *p, *next;
	int n = 0, number = 1;

	for (; *line && n < max; line = next, number++) {
		next = strchrnul(line, '\n');
		for (p = line; p < next && n < max; p++) {
			int used = 0;
			char col[12];

			if (sscanf(p, "ERROR[E%d] %11[0-9-]: %n",
				&e[n].number, col, &used) != 2 &&
				sscanf(p, "REMARK[R%d] %11[0-9-]: %n",
				&e[n].number, col, &used) != 2 &&
				sscanf(p, "WARNING[W%d] %11[0-9-]: %n",
				&e[n].number, col, &used) != 2)
				continue;
			p += used;
			used = (int)(strcspn(p, "\n") - 0);
			if (strstr(p, " // ") && strstr(p, " // ") < next)
				used = (int)(strstr(p, " // ") - p);
			snprintf(e[n].text, sizeof(e[n].text), "%.*s", used,
				p);
			e[n].line = col[0] == '-' ? 0 : number;
			e[n].col = atoi(col);
			n++;
		}
		next += *next == '\n';
	}
	return n;
}

static bool is_expected(const struct poly_message *m,
	const struct expected *e)
{
	return m->number == e->number && m->loc.line == e->line &&
		m->loc.col == e->col && strstr(m->text, e->text);
}

/* Compare the messages of the last program with what "text" says. */
static void check_messages(const char *path, const char *text, size_t len)
{
	struct expected e[64];
	int n = find_expected(text, e, 64), i;
	bool good = n == test_report.n_msg;
	char *printed;

	for (i = 0; good && i < n; i++)
		good = is_expected(&test_report.msg[i], &e[i]);
	CHECK(good);
	if (good)
		return;
	printed = test_printed(path, text, len);
	fprintf(stderr, "%s: %d messages expected, these came:\n%s", path, n,
		printed);
	free(printed);
}

/* The values that the first line gives; names are copied to "names". */
static int find_defines(const char *text, struct fe_define *def, int max,
	char names[][16])
{
	long long value;
	int n = 0, used;

	if (strncmp(text, "// ARGS:", 8))
		return 0;
	for (text += 8; n < max; text += used, n++) {
		if (sscanf(text, " %15[A-Za-z]=%lld%n", names[n], &value,
			&used) != 2)
			break;
		def[n].name = names[n];
		def[n].value = value;
	}
	return n;
}

static void check_file(const char *path, bool accept)
{
	struct fe_define def[8];
	char names[8][16];
	size_t len;
	char *text = test_file(path, &len);
	int n = find_defines(text, def, 8, names);
	struct fe_unit *u = test_read(path, text, len, def, n);

	CHECK((u && test_lowers(u)) == accept);
	check_messages(path, text, len);
	fe_unit_free(u);
	free(text);
}

/* Check all programs of a folder; returns their number. */
static int check_folder(const char *folder, bool accept)
{
	char path[4096];
	const struct dirent *entry;
	DIR *dir;
	int n = 0;

	snprintf(path, sizeof(path), "%s/%s", TEST_DATA, folder);
	dir = opendir(path);
	CHECK(dir != NULL);
	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len < 4 || strcmp(entry->d_name + len - 4, ".dsl"))
			continue;
		snprintf(path, sizeof(path), "%s/%s/%s", TEST_DATA, folder,
			entry->d_name);
		check_file(path, accept);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* Every message was seen, but those of C files, tests/nest, and of data-parallel
 * functions, tests/parallel.
 */
static void check_coverage(void)
{
	static const struct {
		int number;
		const char *id;
	} message[] = {
#define MSG(number, id, severity, format) { number, #id },
#include "polyir/base/message.def"
#undef MSG
	};
	size_t i;

	for (i = 0; i < sizeof(message) / sizeof(message[0]); i++) {
		if (message[i].number > 299 ||
		    !strncmp(message[i].id, "FE_C_", 5) ||
		    !strncmp(message[i].id, "FE_PAR_", 7) ||
		    test_seen(message[i].number))
			continue;
		fprintf(stderr, "%s was not seen\n", message[i].id);
		CHECK(false);
	}
}

void test_files(void)
{
	CHECK(check_folder("reject", false) >= 180);
	CHECK(check_folder("accept", true) >= 8);
	test_text();
	test_memory();
	check_coverage();
}
