"""PPCG's CUDA for a kernel of PolyBench/C, as a program that prints its time.

PPCG (S. Verdoolaege et al., Polyhedral parallel code generation for CUDA, 2013)
writes a file for the host, which copies all arrays in, runs kernels and copies
the results out. What lies between the last copy in and the first one out is what
is measured, as pb_gpu (polybench.c) measures ours: the least of three calls.
"""
import os
import re
import subprocess

CLOCK = r"""
#include <stdlib.h>
#include <sys/file.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#include <cuda_runtime.h>

static double pb_started, pb_best;

static double pb_now(void)
{
	struct timespec t;

	cudaDeviceSynchronize();
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static cudaError_t pb_copy(void *to, const void *from, size_t bytes,
	enum cudaMemcpyKind kind)
{
	double t = pb_now() - pb_started;
	cudaError_t status;

	if (kind == cudaMemcpyDeviceToHost && pb_started) {
		pb_best = !pb_best || t < pb_best ? t : pb_best;
		pb_started = 0;
	}
	status = cudaMemcpy(to, from, bytes, kind);
	if (kind == cudaMemcpyHostToDevice)
		pb_started = pb_now();
	return status;
}
#define cudaMemcpy pb_copy

static void pb_begin(char **argv)
{
	int turn = open("turn", O_CREAT | O_RDWR, 0666);

	if (turn >= 0)
		flock(turn, LOCK_EX);
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	alarm((unsigned)atoi(argv[3]));
	cudaFree(0);
}
"""
CALL = r"""
	pb_begin(argv);
	for (int run = 0; run < 3; run++)
		\g<0>
	printf("gpu %.9f\\n", pb_best);
	exit(0);
"""


def build(ppcg, root, folder, name, dataset, path, on_rows):
    """FOLDER/NAME_ppcg.exe, whose arguments are those of polybench.c; the
    complaint, or None. "on_rows" goes over the text, as it does for the CPU.
    """
    base = os.path.join(folder, name)
    flags = ["-I", root + "/utilities", "-I", os.path.dirname(path),
             "-D%s_DATASET" % dataset, "-DPOLYBENCH_USE_SCALAR_LB"]
    # Its files are named after the source, and lie where it runs.
    p = subprocess.run([os.path.abspath(ppcg), "--target=cuda", path] + flags,
                       capture_output=True, text=True, cwd=folder)
    if p.returncode:
        return p.stderr
    with open(base + "_host.cu") as f:
        text = f.read()
    # Its kernels use types of the source, which it leaves behind.
    types = "".join(re.findall(r"(?m)^typedef \w+ \w+;\n", text))
    with open(base + "_kernel.hu") as f:
        head = f.read()
    with open(base + "_kernel.hu", "w") as f:
        f.write(types + head)
    at = re.search(r"(?m)^(static\s+)?int\s+main\(", text).start()
    text = CLOCK + on_rows(text[:at]) + re.sub(
        r"\bkernel_\w+\s*\([^;]*;", CALL, text[at:], count=1)
    with open(base + "_host.cu", "w") as f:
        f.write(text)
    p = subprocess.run(["nvcc", "-w", "-O3", "-arch=native" if os.path.exists(
        "/dev/nvidia0") else "-arch=sm_90", "-x", "cu"] + flags +
        [base + "_host.cu", base + "_kernel.cu",
         root + "/utilities/polybench.c", "-o", base + "_ppcg.exe"],
        capture_output=True, text=True)
    return p.stderr if p.returncode else None
