/* Prints those of the names on standard input, one a line, that the C function of
 * an object may have.
 */
#include <stdio.h>
#include <string.h>

#include "tools/lib/object/object.h"

int main(void)
{
	char name[1024];

	while (fgets(name, sizeof(name), stdin)) {
		name[strcspn(name, "\n")] = 0;
		if (tool_is_function_name(name))
			puts(name);
	}
	return 0;
}
