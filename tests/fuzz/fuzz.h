/* What a fuzz target exports: libFuzzer calls it, and so does replay.c. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feed the "size" bytes at "data" to the code under test. Returns 0; whatever
 * is wrong ends the process.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
