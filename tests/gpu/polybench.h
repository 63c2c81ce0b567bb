/* What the script "polybench" generates for a kernel, and polybench.c runs. It
 * includes nothing: it stands in front of what is preprocessed already.
 */
#ifndef GPU_POLYBENCH_H
#define GPU_POLYBENCH_H

/* An array or scalar of the kernel: where it is on the host. "output" if the
 * kernel writes it; "digits" is 'd' or 'f' for double and float, else 'i'.
 */
struct pb_array {
	const char *name;
	void *host;
	unsigned long bytes;
	int output;
	char digits;
};

/* Run the kernel on the GPU, if asked to; does the CPU have to, too? Ends the
 * process if something fails.
 */
int pb_gpu(struct pb_array *a, int n);
/* The CPU has run it: tell how long that took, compare, and end. */
void pb_end(struct pb_array *a, int n);

/* Generated, by the object of the kernel. */
int pb_load(void);
long pb_workspace(void);
int pb_call(void **array, void *workspace);

/* What to do, the device, and the limit: the arguments of the program. */
extern const char *pb_mode, *pb_device, *pb_limit;

#endif
