"""Programs for AArch64 on this machine: Debian's gcc-aarch64-linux-gnu makes them, and
qemu-user runs them.
"""
import os
import shutil
import subprocess

TRIPLE = "aarch64-linux-gnu"
CC = shutil.which(TRIPLE + "-gcc")
QEMU = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
THERE = bool(CC and QEMU)
ROOT = "/usr/" + TRIPLE
SKIPPED = 77    # an exit status for ctest


def runtime(cetane, folder):
    """The runtime for AArch64, of the two files that the command writes."""
    out = os.path.join(folder, "cetane_rt.o")
    subprocess.run([cetane, "build", "--emit=runtime", "-o", folder], check=True)
    subprocess.run([CC, "-std=c11", "-O1", "-D_GNU_SOURCE", "-c", "-fPIC",
                    os.path.join(folder, "cetane_rt.c"), "-o", out], check=True)
    return out
