"""The installed tree: what is in it, and projects that use it."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import installed
from installed import BUILD, CC, CMAKE, HERE, SOURCE, needs_ptxas, run

# With --all, all is built again, too, in the order of the README.
ALL = "--all" in sys.argv
OUTSIDE = os.path.join(HERE, "outside")


def declared(*headers):
    """The functions whose prototypes stand in headers of the sources."""
    names = set()
    for header in headers:
        with open(os.path.join(SOURCE, header)) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        names |= set(re.findall(r"\b(cetane_\w+)\s*\((?!\*)", text))
    return names


def exported(library):
    """Node of the version script -> functions."""
    nodes = {}
    for name, node in re.findall(r"(?m) T (\w+)@@(\w[\w.]*)$",
                                 run("nm", "-D", "--defined-only", library)):
        nodes.setdefault(node, set()).add(name)
    return nodes


class Package(installed.Case):
    def project(self):
        """A copy of the outside project."""
        folder = tempfile.mkdtemp(dir=self.folder.name)
        return shutil.copytree(OUTSIDE, os.path.join(folder, "outside"))

    def check_program(self, program):
        """It runs on the host device, and needs libc and libcetane_rt."""
        env = dict(self.env, LD_LIBRARY_PATH=self.lib)
        self.assertEqual(run(program, env=env), "host: right\n")
        names = set(re.findall(r"(?m)^\s*(?:/\S*/)?([\w.+-]+?)\.so",
                               run("ldd", program, env=env)))
        self.assertEqual(names - {"linux-vdso", "ld-linux-x86-64"},
                         {"libc", "libcetane_rt"})

    def test_files(self):
        for name in ["cetane", "cetane.h", "cetane_rt.h", "host_abi.h", "cetane.hpp",
                     "program.h", "status.def", "libcetane.a",
                     "libcetane_rt.a", "CetaneConfig.cmake", "cetane.1",
                     "CetaneConfigVersion.cmake", "_cetane", "cetane.fish"]:
            self.find(name)
        for name in ["libcetane", "libcetane_rt"]:
            out = run("readelf", "-d", self.find(name + ".so"))
            self.assertIn(f"Library soname: [{name}.so.0]", out)
            self.assertTrue(os.path.exists(self.find(name + ".so.0")))
        for folder, _, files in os.walk(self.prefix):
            for name in files:
                if name.endswith((".cmake", ".pc", ".h")):
                    with open(os.path.join(folder, name)) as f:
                        self.assertNotIn(BUILD, f.read(), name)

    def test_pages(self):
        """What has changed, and what Cetane does not do; each row of the page of
        limits names a test that there is.
        """
        for name in "CHANGELOG.md", "LIMITS.md":
            with open(self.find(name)) as f, \
                    open(os.path.join(SOURCE, ".github", name)) as g:
                text = f.read()
                self.assertEqual(text, g.read())
        rows = re.findall(r"(?m)^\| .* \| (.*?) \|$", text)[1:]
        named = [m[1] for row in rows if (m := re.fullmatch("`(.*)`", row))]
        self.assertEqual(len(named), len(rows))
        self.assertGreater(len(named), 5)
        ctest = os.path.join(os.path.dirname(CMAKE), "ctest")
        there = re.findall(r"(?m)^ *Test +#\d+: (\S+)$",
                           run(ctest, "-N", cwd=BUILD))
        self.assertLessEqual(set(named), set(there))

    def test_hardening(self):
        """Of everything that is installed and loaded."""
        checked = "x86 feature: IBT, SHSTK"
        for path in (self.command, self.find("libcetane.so"),
                     self.find("libcetane_rt.so")):
            head = run("readelf", "-h", path)
            dynamic = run("readelf", "-d", path)
            segments = run("readelf", "-lW", path)
            names = run("nm", "-D", path)
            self.assertRegex(head, r"Type: +DYN")
            if path == self.command:
                self.assertRegex(dynamic, r"\(FLAGS_1\).*\bPIE\b")
            self.assertRegex(dynamic, r"\(FLAGS_1\).*\bNOW\b")
            self.assertIn("GNU_RELRO", segments)
            self.assertRegex(segments, r"GNU_STACK[^\n]* RW +0")
            self.assertNotRegex(segments, r"LOAD[^\n]* RWE ")
            self.assertNotRegex(dynamic, r"\(TEXTREL\)")
            self.assertIn(" __stack_chk_fail", names)
            self.assertRegex(names, r" U __\w+_chk@")
            # The linker marks what consists of marked parts alone.
            if checked in run("readelf", "-n", run(
                    CC, "-print-file-name=crti.o").strip()):
                self.assertIn(checked, run("readelf", "-n", path))
        for name in "libcetane.a", "libcetane_rt.a":
            if "X86-64" not in run("readelf", "-h", self.command):
                continue
            notes = run("readelf", "-n", self.find(name))
            self.assertEqual(notes.count(checked), len(run(
                "ar", "t", self.find(name)).split()))

    def test_fortified(self):
        """Every source, as far as the compiler can count (level 3)."""
        with open(os.path.join(BUILD, "compile_commands.json"),
                  encoding="utf-8") as f:
            rows = json.load(f)
        if "-O0" in rows[0]["command"] or "-O" not in rows[0]["command"]:
            self.skipTest("nothing is optimised")
        for row in rows:
            if "/tests/" not in row["file"]:
                for flag in ("-D_FORTIFY_SOURCE=3",
                             "-fstack-protector-strong"):
                    self.assertIn(flag, row["command"])

    def test_symbols(self):
        """What is declared is exported, and nothing else."""
        self.assertEqual(exported(self.find("libcetane.so")), {
            "CETANE_0.1": declared("tools/lib/cetane.h")})
        nodes = exported(self.find("libcetane_rt.so"))
        self.assertEqual(nodes.pop("CETANE_RT_0.1"), declared(
            "runtime/cetane_rt.h", "runtime/host_abi.h",
            "runtime/program.h"))
        version = run(self.command, "--version").split()[1]
        (node, names), = nodes.items()
        self.assertEqual(node, "CETANE_RT_PRIVATE_" + version)
        for name in names:
            self.assertTrue(name.startswith("cetane_rt_"))

    def test_names(self):
        """No program can have the name of a function that the runtime calls."""
        with open(os.path.join(self.folder.name, "x.dsl"), "w") as f:
            f.write("Params N;\nMatrix A(N,N);\nB = A;\n"
                    "CodeGen(FLOAT, {B});\n")
        names = re.findall(r" U ([a-z]\w*)", run(
            "nm", "-D", self.find("libcetane_rt.so")))
        self.assertIn("malloc", names)
        for name in names:
            p = subprocess.run(
                [self.command, "build", "x.dsl", "--emit=object",
                 "--name=" + name], cwd=self.folder.name, capture_output=True,
                text=True, check=False)
            self.assertEqual(p.returncode, 2, name)
            self.assertIn("E603", p.stderr)

    def check_isl(self, path, inside=False):
        """isl comes from libisl, or is inside; the one inside libLLVM has a version."""
        names = re.findall(r" (\w) (isl_\w+@?\w*)", run("nm", "-D", path))
        self.assertEqual([n for n in names if "@" in n[1] or n[0] != "U"], [], path)
        self.assertEqual(names == [], inside, path)

    def test_isl(self):
        self.check_isl(self.find("libcetane.so"))
        self.check_isl(self.command, re.search(r"(?m) [tT] isl_ctx_alloc$", run(
            "nm", self.command)) is not None)

    def test_llvm(self):
        """LLVM is inside of the command where its archives can be linked: libLLVM and
        what that loads take most of the time of a process to start. Nothing of it is
        there for libraries that are loaded later.
        """
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as f:
            inside = re.search(r"(?m)^CETANE_LLVM_ARCHIVES\w*:INTERNAL=1$",
                               f.read()) is not None
        self.assertEqual("libLLVM" not in run("ldd", self.command), inside)
        self.assertEqual([n for n in re.findall(r" [A-Z] (\w+)", run(
            "nm", "-D", "--defined-only", self.command)) if "llvm" in n.lower()], [])
        self.assertIn("libLLVM", run("ldd", self.find("libcetane.so")))

    def test_headers_stand_alone(self):
        include = os.path.dirname(self.find("cetane.h"))
        for name in ["cetane.h", "cetane_rt.h", "program.h"]:
            for language in ["c", "c++"]:
                if language == "c" or shutil.which("g++"):
                    run(CC, "-x", language, "-fsyntax-only", "-Wall",
                        "-Werror", "-pedantic", f"-I{include}", "-",
                        input=f"#include <{name}>\n")
        if shutil.which("g++"):
            run("g++", "-std=c++17", "-x", "c++", "-fsyntax-only", "-Wall",
                "-Werror", "-pedantic", f"-I{include}", "-",
                input="#include <cetane.hpp>\n")

    def config(self, *words, **more):
        return run(self.command, "config", *words, **more)

    def linked(self, name, text, *words):
        """The program of the C text, linked with what config tells of the runtime."""
        program = os.path.join(self.folder.name, name)
        with open(program + ".c", "w") as f:
            f.write(text)
        run(CC, program + ".c", "-o", program, *self.config(
            "--runtime", "--cflags", "--libs", *words).split())
        return program

    def test_config(self):
        """What config tells is what pkg-config does, and compiles and links."""
        version = run(self.command, "--version").split()[1]
        self.assertEqual(self.config("--version"), version + "\n")
        self.assertEqual(self.config("--prefix"), self.prefix + "\n")
        for words, name in (["--runtime"], "cetane_rt"), ([], "cetane"):
            flags = self.config(*words, "--cflags", "--libs").split()
            self.assertEqual(self.config(*words, "--cflags").split() +
                             self.config(*words, "--libs").split(), flags)
            if shutil.which("pkg-config"):
                want = run("pkg-config", "--cflags", "--libs", name,
                           env=self.env).split()
                self.assertEqual([os.path.normpath(f) for f in flags],
                                 [os.path.normpath(f) for f in want])
        program = self.linked(
            "uses", "#include <cetane_rt.h>\n#include <stdio.h>\n"
            "int main(void)\n{\n\treturn puts(cetane_status_text("
            "CETANE_NOT_FOUND)) < 0;\n}\n")
        self.assertEqual(run(program, env=dict(
            self.env, LD_LIBRARY_PATH=self.lib)),
            "the module has no such function\n")

    def test_config_static(self):
        """A program that no variable of the environment has to help."""
        program = self.linked(
            "archived", "#include <cetane_rt.h>\nint main(void)\n{\n"
            "\tstruct cetane_device *dev;\n"
            "\treturn cetane_device_open(\"host\", &dev);\n}\n", "--static")
        env = {k: v for k, v in self.env.items() if k != "LD_LIBRARY_PATH"}
        run(program, env=env)
        self.assertNotIn("libcetane", run("ldd", program))

    @needs_ptxas
    def test_guide(self):
        """The program in C of the guide, by the commands that stand behind it."""
        place = os.path.join(self.folder.name, "guide")
        os.mkdir(place)
        with open(os.path.join(SOURCE, "README.md")) as f:
            gemm = re.search(r"(?m)(?:^    .*\n)*    C = A \* B;\n", f.read())
        with open(os.path.join(SOURCE, "tools", "pages", "guide.md")) as f:
            main, words = re.search(r"(?m)^(    #include.*\n(?:    .*\n|\n)*    \}\n)\n"
                                    r".* `6 15`:\n\n((?:    .*\n)+)", f.read()).groups()
        for name, text in ("gemm.dsl", gemm[0]), ("main.c", main):
            with open(os.path.join(place, name), "w") as f:
                f.write(re.sub("(?m)^    ", "", text))
        path = os.path.dirname(self.command) + os.pathsep + self.env["PATH"]
        env = {k: v for k, v in self.env.items() if k != "LD_LIBRARY_PATH"}
        run("sh", "-ec", words.replace("    cc ", CC + " -Wall -Wextra -Werror "),
            cwd=place, env=dict(env, PATH=path))
        self.assertEqual(run(os.path.join(place, "a.out"), cwd=place,
                             env=dict(env, CETANE_DEVICE="host")), "6 15\n")

    def test_config_refuses(self):
        p = subprocess.run([self.command, "config"], capture_output=True,
                           text=True, check=False)
        self.assertEqual((p.returncode, p.stdout), (2, ""))
        self.assertIn("--cflags, --libs", p.stderr)
        for words in ["--libs", "--static"], \
                ["--runtime", "--cflags", "--static"]:
            p = subprocess.run([self.command, "config", *words],
                               capture_output=True, text=True, check=False)
            self.assertEqual((p.returncode, p.stdout), (2, ""))
            self.assertIn("--static goes with --runtime --libs", p.stderr)
        # A command that nothing was installed around.
        alone = os.path.join(self.folder.name, "alone", "bin")
        os.makedirs(alone)
        shutil.copy(self.command, alone)
        for word in "--cflags", "--libs", "--prefix":
            p = subprocess.run(
                [os.path.join(alone, "cetane"), "config", word],
                capture_output=True, text=True, check=False)
            self.assertEqual((p.returncode, p.stdout), (3, ""))
            self.assertIn("not in an installed tree", p.stderr)
        self.assertEqual(run(os.path.join(alone, "cetane"), "config",
                             "--version"), self.config("--version"))

    @needs_ptxas
    def test_cmake(self):
        folder = self.project()
        build = os.path.join(folder, "build")
        run(CMAKE, "-G", "Unix Makefiles", "-S", folder, "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_C_COMPILER={CC}", env=self.env)
        run(CMAKE, "--build", build, env=self.env)
        program = os.path.join(build, "outside")
        self.check_program(program)
        with open(os.path.join(build, "cetane", "outside",
                               "fig2.json")) as f:
            images = json.load(f)["images"]
        self.assertEqual({im["arch"] for im in images if "arch" in im},
                         {"sm_80", "sm_90a", "sm_120"})
        # Nothing is built again until a source changes.
        self.assertNotIn("kernels", run(CMAKE, "--build", build,
                                        env=self.env))
        with open(os.path.join(folder, "scale.dsl"), "a") as f:
            f.write("# changed\n")
        out = run(CMAKE, "--build", build, env=self.env)
        self.assertIn("Compiling kernels of scale", out)
        self.assertNotIn("Compiling kernels of fig2", out)

    @needs_ptxas
    def test_names_of_programs(self):
        """Two programs of one name are an error, unless one gets another."""
        folder = self.project()
        other = os.path.join(folder, "other")
        os.mkdir(other)
        shutil.copy(os.path.join(folder, "scale.dsl"), other)
        path = os.path.join(folder, "CMakeLists.txt")
        words = [CMAKE, "-G", "Unix Makefiles", "-S", folder, "-B",
                 os.path.join(folder, "build"),
                 f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 f"-DCMAKE_C_COMPILER={CC}"]
        with open(path) as f:
            text = f.read()
        for more, says in [
                ("SOURCES other/scale.dsl ARCHS sm_90a", "--name=NAME"),
                ("SOURCES other/scale.dsl x.dsl ARCHS sm_90a OPTIONS "
                 "--name=y", "would be the name of 2 programs")]:
            with open(path, "w") as f:
                f.write(text + f"cetane_add_kernels(outside {more})\n")
            p = subprocess.run(words, env=self.env, capture_output=True,
                               text=True)
            self.assertNotEqual(p.returncode, 0)
            self.assertIn(says, " ".join(p.stderr.split()))
        with open(path, "w") as f:
            f.write(text + "cetane_add_kernels(outside SOURCES "
                    "other/scale.dsl ARCHS sm_90a OPTIONS --name=again)\n")
        run(*words, env=self.env)
        build = os.path.join(folder, "build")
        run(CMAKE, "--build", build, env=self.env)
        self.check_program(os.path.join(build, "outside"))
        self.assertRegex(run("nm", os.path.join(build, "cetane", "outside",
                                                "again.o")), r" T again\b")

    def configured(self, source, *options):
        """The build folder of a project that nothing was built in."""
        build = tempfile.mkdtemp(dir=self.folder.name)
        run(CMAKE, "-G", "Ninja", "-S", source, "-B", build,
            f"-DCMAKE_C_COMPILER={CC}", *options, env=self.env)
        return build

    def test_shipped(self):
        """What is installed is made by one target, which needs no tests."""
        build = self.configured(SOURCE, "-DBUILD_TESTING=OFF")
        steps = run("ninja", "-C", build, "-t", "commands",
                    "cetane_shipped")
        with open(os.path.join(build, "cmake_install.cmake")) as f:
            wanted = re.findall(re.escape(build) + r"/([^\s;\")]+)", f.read())
        wanted = {w for w in wanted
                  if not os.path.exists(os.path.join(build, w)) and
                  "CMakeFiles" not in w and "$" not in w and not w.endswith((".cmake", ".txt"))}
        self.assertIn("cetane", wanted)
        self.assertEqual({w for w in wanted if w not in steps and
                          not re.search(r"\.so(\.\d+)?$", w)}, set())
        self.assertEqual([w for w in run("ninja", "-C", build, "-t",
                                         "targets", "all").split()
                          if w.startswith("tests/")], [])
        self.assertEqual(run("ctest", "--test-dir", build, "-N").count(
            "Test #"), 0)

    def subproject(self, how=f"add_subdirectory({SOURCE} cetane)", rest=""):
        """The outside project with the sources of the compiler below it."""
        folder = self.project()
        path = os.path.join(folder, "CMakeLists.txt")
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace("find_package(Cetane 0.1 REQUIRED)", how) +
                    rest)
        return folder

    def check_subproject(self, build, below):
        """There is what the project needs, no test, and nothing to install."""
        steps = run("ninja", "-C", build, "-t", "commands", "outside")
        self.assertRegex(steps, r"build --emit=object .*scale\.dsl")
        self.assertIn("libcetane_rt.so", steps)
        self.assertNotIn("tests/", run("ninja", "-C", build, "-t", "targets",
                                       "all"))
        with open(os.path.join(build, below, "cmake_install.cmake")) as f:
            self.assertNotIn("libcetane", f.read())

    def test_subdirectory(self):
        self.check_subproject(self.configured(self.subproject()), "cetane")

    def test_fetched(self):
        """With tests of its own, and targets of names that come to mind."""
        names = ["isl", "llvm", "lua", "pages", "shipped", "generate_man", "rt",
                 "style", "golden", "runtime", "frontend", "polyir", "nvptx"]
        rest = "add_test(NAME own COMMAND outside)\n"
        rest += "".join(f"add_custom_target({n} ALL)\n" for n in names)
        build = self.configured(self.subproject(
            "include(CTest)\nfunction(page)\nendfunction()\n"
            "include(FetchContent)\n"
            f"FetchContent_Declare(cetane SOURCE_DIR {SOURCE})\n"
            "FetchContent_MakeAvailable(cetane)\n", rest))
        self.check_subproject(build, os.path.join("_deps", "cetane-build"))
        tests = run("ctest", "--test-dir", build, "-N")
        self.assertEqual(re.findall(r"Test +#\d+: (.*)", tests), ["own"])
        made = run("ninja", "-C", build, "-t", "targets", "all")
        ours = {m for m in re.findall(r"(?m)^_deps/cetane-build/([\w]+): phony",
                                      made)}
        usual = {"all", "edit_cache", "list_install_components", "test",
                 "rebuild_cache", "install", "preinstall"}
        self.assertEqual({n for n in ours - usual if not n.startswith("cetane")},
                         set())

    def test_components(self):
        """A tree with the runtime alone, and a package that says so."""
        part = os.path.join(self.folder.name, "part")
        run(CMAKE, "--install", BUILD, "--prefix", part + "-", "--component",
            "runtime")
        os.rename(part + "-", part)
        seen = {name for _, _, files in os.walk(part) for name in files}
        self.assertLessEqual({"libcetane_rt.so", "libcetane_rt.a", "cetane_rt.h",
                              "CetaneConfig.cmake", "cetane_rt.pc"}, seen)
        self.assertFalse({"cetane", "libcetane.so", "cetane.h", "cetane.pc",
                          "libcetane.a", "cetane.1"} & seen)
        folder = tempfile.mkdtemp(dir=self.folder.name)
        shutil.copy(os.path.join(HERE, "example.c"), folder)
        for prefix, words, says in [
                (part, "runtime", None), (part, "compiler", "compiler"),
                (part, "runtime compiler", "compiler"),
                (self.prefix, "runtime compiler", None),
                (self.prefix, "nonsense", "nonsense")]:
            target = "libcetane_static" if not says and "compiler" in words \
                else "rt_static"
            with open(os.path.join(folder, "CMakeLists.txt"), "w") as f:
                f.write("cmake_minimum_required(VERSION 3.20)\n"
                        "project(parts LANGUAGES C)\n"
                        f"find_package(Cetane REQUIRED COMPONENTS {words})\n"
                        "add_executable(parts use.c)\n"
                        f"target_link_libraries(parts Cetane::{target})\n")
            with open(os.path.join(folder, "use.c"), "w") as f:
                f.write("#include <cetane_rt.h>\nint main(void)\n{\n"
                        "\treturn !cetane_status_text(CETANE_OK);\n}\n")
            build = tempfile.mkdtemp(dir=self.folder.name)
            p = subprocess.run(
                [CMAKE, "-G", "Ninja", "-S", folder, "-B", build,
                 f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={CC}"],
                env=self.env, capture_output=True, text=True)
            self.assertEqual(p.returncode != 0, bool(says), p.stderr)
            if says:
                self.assertIn(says, p.stderr)
                continue
            run("ninja", "-C", build)
            program = os.path.join(build, "parts")
            run(program)
            self.assertNotIn("libcetane", run("ldd", program))
            if target == "libcetane_static":
                shutil.copy(os.path.join(folder, "example.c"),
                            os.path.join(folder, "use.c"))
                run("ninja", "-C", build)
                self.assertRegex(run(program, env=self.env),
                                 r": E\[0,0\] = 6\n$")

    def test_page(self):
        """The files that the page shows are those of the project."""
        with open(os.path.join(SOURCE, "tools", "package", "README.md")) as f:
            shown = dict(re.findall(r"`([\w.]+)`:\n\n```\n(.*?)```", f.read(),
                                    re.S))
        self.assertEqual(set(shown), {"CMakeLists.txt", "Makefile",
                                      "meson.build", "meson_options.txt"})
        for name, text in shown.items():
            with open(os.path.join(OUTSIDE, name)) as f:
                self.assertEqual(text, re.sub(r"(?m)\A#.*\n", "", f.read()))

    @needs_ptxas
    @unittest.skipUnless(ALL, "builds all again")
    def test_order(self):
        """The commands of the README in the order of the README."""
        build = os.path.join(self.folder.name, "fresh")
        env = dict(self.env, CETANE_BUILD=build, CETANE_SETUP="no")
        self.assertIn("verified", run(os.path.join(SOURCE, "tools",
                                                   "quickstart"), env=env))
        prefix = os.path.join(self.folder.name, "prefix")
        run(CMAKE, "--install", build, "--prefix", prefix)
        self.assertTrue(run(os.path.join(prefix, "bin", "cetane"), "-V"))
        build = self.configured(self.subproject())
        run(CMAKE, "--build", build, env=self.env)
        self.assertEqual(run(os.path.join(build, "outside")),
                         "host: right\n")

    @needs_ptxas
    def test_cross(self):
        """When cross-compiling, the command is that of this machine."""
        folder = self.project()
        build = os.path.join(folder, "build")
        words = [CMAKE, "-G", "Unix Makefiles", "-S", folder, "-B", build,
                 f"-DCMAKE_PREFIX_PATH={self.prefix}",
                 f"-DCMAKE_C_COMPILER={CC}", "-DCMAKE_SYSTEM_NAME=Linux"]
        p = subprocess.run(words, env=self.env, capture_output=True,
                           text=True)
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("-DCETANE_EXECUTABLE=", p.stderr)
        command = os.path.join(folder, "command")
        with open(command, "w") as f:
            f.write(f'#!/bin/sh\necho "$@" >> {folder}/log\n'
                    f'exec {self.command} "$@"\n')
        os.chmod(command, 0o755)
        run(*words, f"-DCETANE_EXECUTABLE={command}", env=self.env)
        run(CMAKE, "--build", build, env=self.env)
        with open(os.path.join(folder, "log")) as f:
            self.assertEqual(len(f.readlines()), 2)
        self.check_program(os.path.join(build, "outside"))

    @unittest.skipUnless(shutil.which("aarch64-linux-gnu-gcc"),
                         "no compiler for AArch64")
    def test_host(self):
        """Objects are for the processor of the target, or for CETANE_HOST."""
        folder = self.project()
        for more, machine in [
                (["-DCMAKE_SYSTEM_NAME=Linux",
                  "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
                  "-DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc"], "AArch64"),
                ([f"-DCMAKE_C_COMPILER={CC}",
                  "-DCETANE_HOST=aarch64-linux-gnu"], "AArch64"),
                ([f"-DCMAKE_C_COMPILER={CC}",
                  "-DCETANE_HOST=x86_64-linux-gnu"], "X86-64")]:
            build = tempfile.mkdtemp(dir=self.folder.name)
            run(CMAKE, "-G", "Ninja", "-S", folder, "-B", build,
                f"-DCMAKE_PREFIX_PATH={self.prefix}",
                f"-DCETANE_EXECUTABLE={self.command}", *more, env=self.env)
            made = "cetane/outside/scale.o"
            run("ninja", "-C", build, made, env=self.env)
            self.assertIn(machine, run("readelf", "-h",
                                       os.path.join(build, made)))

    @needs_ptxas
    def test_make(self):
        folder = self.project()
        run("make", "-C", folder, f"CC={CC}", "ARCHS=sm_90a", env=self.env)
        self.check_program(os.path.join(folder, "outside"))

    @needs_ptxas
    @unittest.skipUnless(shutil.which("meson"), "no Meson")
    def test_meson(self):
        folder = self.project()
        build = os.path.join(folder, "build")
        run("meson", "setup", build, folder, "-Darchs=sm_90a",
            env=dict(self.env, CC=CC))
        run("ninja", "-C", build, env=self.env)
        self.check_program(os.path.join(build, "outside"))
        self.assertIn("no work to do", run("ninja", "-C", build, env=self.env))

    @needs_ptxas
    def test_static(self):
        """With the archive of the runtime the program needs libc alone."""
        folder = self.project()
        path = os.path.join(folder, "CMakeLists.txt")
        with open(path) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text.replace("ARCHS sm_80 sm_90a sm_120", "ARCHS sm_80 STATIC"))
        build = os.path.join(folder, "build")
        run(CMAKE, "-G", "Ninja", "-S", folder, "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}",
            env=self.env)
        run("ninja", "-C", build, env=self.env)
        program = os.path.join(build, "outside")
        self.assertEqual(run(program), "host: right\n")
        self.assertNotIn("libcetane", run("ldd", program))

    @needs_ptxas
    def test_python(self):
        said = json.loads(run(
            sys.executable, os.path.join(OUTSIDE, "build.py"),
            self.find("libcetane.so.0"), os.path.join(OUTSIDE, "fig2.dsl"),
            env=self.env))
        self.assertEqual(said["status"], 0)
        self.assertIn(".target sm_80", "\n".join(said["ptx"]))
        self.assertEqual(said["cubin"], b"\x7fELF".hex())
        self.assertEqual(said["bad"][0], 1)
        self.assertEqual(said["bad"][1][0][:4], [0, 201, 3, 9])

    def check_example(self, *flags):
        """The example builds and gives the right element; what it needs."""
        program = os.path.join(self.folder.name, "example")
        source = os.path.join(HERE, "example.c")
        with open(source) as f:
            self.assertLessEqual(len(f.readlines()), 30)
        run(CC, "-Wall", "-Wextra", "-Werror", "-o", program, source, *flags)
        env = dict(self.env, LD_LIBRARY_PATH=self.lib)
        self.assertRegex(run(program, env=env), r": E\[0,0\] = 6\n$")
        return run("ldd", program, env=env)

    @needs_ptxas
    def test_example(self):
        flags = run("pkg-config", "--cflags", "--libs", "cetane",
                    "cetane_rt", env=self.env).split()
        self.assertIn("libcetane.so.0 => " + self.lib,
                      self.check_example(*flags))

    @needs_ptxas
    def test_static_example(self):
        """With the archives; the worker is then a fork."""
        flags = run("pkg-config", "--static", "--cflags", "--libs", "cetane",
                    env=self.env)
        flags = re.sub(r"-l(cetane\w*)", r"-l:lib\1.a", flags).split()
        self.assertNotIn("libcetane", self.check_example(*flags))
        self.check_isl(os.path.join(self.folder.name, "example"))


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "--all"])
