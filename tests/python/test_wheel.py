"""The wheel: built by pip, installed in a clean virtual environment, used there.

usage: test_wheel.py BUILD-FOLDER

A type checker knows what is in it. Needs a network. The build folder is kept, so that a
second run builds little.
"""
import os
import subprocess
import sys
import tempfile
import venv

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PROGRAM = """
import cetane, numpy as np
gemm = cetane.compile("Params M, K, N; Matrix A(M,K); Matrix B(K,N); C = A * B;",
                      device="host")
a, b = np.ones((3, 4), "f4"), np.full((4, 5), 2, "f4")
assert (gemm(a, b) == 8).all()
assert cetane.__file__.startswith(%r), cetane.__file__
print("right", cetane.version())
"""
# A type checker finds the last line of this wrong, and no other.
TYPED = """import numpy as np
import cetane
f: cetane.Program = cetane.compile("tensor f32 x(3);\\nout y(i) = x(i);", arch=["sm_80"])
y: np.ndarray = f(np.zeros(3, "f4"))
shapes: dict[str, tuple[int, ...]] = f.shapes()
text: str = f.sizes
"""


def run(*words, **more):
    p = subprocess.run(words, capture_output=True, text=True, **more)
    if p.returncode:
        raise SystemExit(f"{words}: {p.returncode}\n{p.stdout}{p.stderr}")
    return p.stdout


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "environment")
        venv.create(place, with_pip=True)
        python = os.path.join(place, "bin", "python")
        env = {k: v for k, v in os.environ.items()
               if not k.startswith(("CETANE", "PYTHON"))}
        run(python, "-m", "pip", "wheel", "--no-deps", "-w", folder,
            "--config-settings=build-dir=" + os.path.abspath(sys.argv[1]),
            os.path.join(SOURCE, "tools", "python"), env=env)
        wheel, = [f for f in os.listdir(folder) if f.endswith(".whl")]
        assert "-py3-none-linux" in wheel, wheel
        run(python, "-m", "pip", "install", "numpy",
            os.path.join(folder, wheel), env=env)
        said = run(python, "-c", PROGRAM % place, cwd=folder, env=env)
        version = run(os.path.join(place, "bin", "cetane"), "--version",
                      env=env)
        assert version.split()[1] in said, (said, version)
        run(python, "-m", "pip", "install", "mypy", env=env)
        with open(os.path.join(folder, "typed.py"), "w") as f:
            f.write(TYPED)
        p = subprocess.run([python, "-m", "mypy", "--strict", "typed.py"],
                           cwd=folder, env=env, capture_output=True, text=True)
        told = [line for line in p.stdout.splitlines() if "error:" in line]
        assert len(told) == 1 and told[0].startswith("typed.py:6:"), p.stdout
        print(wheel, os.path.getsize(os.path.join(folder, wheel)), said)


main()
