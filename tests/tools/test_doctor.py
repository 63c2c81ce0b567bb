"""The verb doctor, against the fake driver and without any."""
import os
import re
import unittest

import command

NONE = {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}


class Base(command.Case):
    def doctor(self, code=0, **env):
        """The rows: name -> its lines, one text each."""
        out, err = self.cetane("doctor", code=code, env=dict(NONE, **env))
        self.assertEqual(err, "")
        rows, name = {}, None
        for line in out.decode().splitlines():
            if not line:
                break
            name = line[:12].strip() or name
            rows[name] = (rows.get(name, "") + " " + line[12:]).strip()
        rows["last"] = " ".join(out.decode().split("\n\n")[-1].split())
        return rows


class Doctor(Base):
    def test_no_driver(self):
        rows = self.doctor(code=3, CETANE_DRIVER="/nonexistent/libcuda.so")
        self.assertIn("no CUDA driver library could be opened",
                      rows["driver"])
        self.assertIn("/nonexistent/libcuda.so", rows["driver"])
        self.assertTrue(rows["driver"].endswith(
            "without it nothing runs on a GPU"))
        self.assertNotIn("cuda:0", rows)
        self.assertTrue(rows["last"].startswith("No GPU can be used."))

    def test_no_assembler(self):
        rows = self.doctor(code=3, CETANE_DRIVER="/nonexistent")
        self.assertIn("not found (CETANE_PTXAS,", rows["ptxas"])
        self.assertIn("without it no cubins", rows["ptxas"])
        self.assertIn("not found (CETANE_NVJITLINK=none)", rows["nvJitLink"])
        self.assertTrue(rows["libdevice"].endswith(
            "not needed: the functions are the compiler's own"))

    def test_assembler(self):
        self.write("ptxas", "#!/bin/sh\necho release 13.4, V13.4.56\n")
        self.write("mute", "#!/bin/sh\n")
        for name, part in [("ptxas", "/ptxas, version 13.4.56"),
                           ("mute", "/mute does not tell its version"),
                           ("absent", "/absent does not tell its version")]:
            if name != "absent":
                os.chmod(self.path(name), 0o755)
            rows = self.doctor(code=3, CETANE_DRIVER="/nonexistent",
                               CETANE_PTXAS=self.path(name))
            self.assertIn(part, rows["ptxas"])

    def check_outputs(self, works, **env):
        """Each kind of output can be made just if doctor says so."""
        rows = self.doctor(code=3, CETANE_DRIVER="/none", **env)
        can = set(re.split(", | and ", rows["outputs"].split(
            " can be made")[0]))
        emits = set(re.findall(r"^  ([\w-]+) +\*", self.cetane(
            "build", "--help")[0].decode(), re.M))
        self.assertEqual(can, works & emits)
        # Programs of the toolkit matter for these.
        for kind in emits if len(works) < 12 else {"object", "cubin", "fatbin"}:
            file = [] if kind == "runtime" else ["scale.dsl"]
            code = self.run_raw("build", *file, f"--emit={kind}", "-o", "d/",
                                env=dict(NONE, **env)).returncode
            self.assertEqual(code, 0 if kind in can else 3, kind)
        for kind in emits - can:
            self.assertIn(f" {kind} cannot: ", rows["outputs"])
        lacking = rows["last"].split("every kind of output")[1]
        self.assertEqual(emits - can, set(re.findall(
            r"[\w-]+", lacking.split(" but ")[1].split(
                ", and --device")[0])) - {"and"} if emits - can else set())

    def test_outputs(self):
        os.mkdir(self.path("d"))
        texts = {"dag", "deps", "schedule", "poly", "ast", "llvm", "llvm-opt",
                 "ptx", "html", "runtime", "script"}
        self.check_outputs(texts | {"object"}, CETANE_FATBINARY="none")
        self.write("bad", "#!/bin/sh\nexit 1\n")
        os.chmod(self.path("bad"), 0o755)
        self.check_outputs(texts - {"html"}, CETANE_PTXAS=self.path("bad"))
        if command.PTXAS:
            self.check_outputs(texts | {"object", "cubin"},
                               CETANE_PTXAS=command.PTXAS,
                               CETANE_FATBINARY="none")
            self.check_outputs(texts | {"object", "cubin", "fatbin"},
                               CETANE_PTXAS=command.PTXAS)
            self.check_outputs(texts | {"object", "fatbin"})

    def test_preprocessor(self):
        self.assertTrue(self.doctor(code=3, CETANE_DRIVER="/none")[
            "cc"].startswith("/"))
        rows = self.doctor(code=3, CETANE_DRIVER="/none", CC="absent")
        self.assertIn("absent not found", rows["cc"])

    def test_compiler(self):
        rows = self.doctor(code=3, CETANE_DRIVER="/nonexistent")
        version, _ = self.cetane("--version", "-v")
        for name in ["cetane", "LLVM", "isl"]:
            self.assertIn(rows[name].replace("version", name),
                          version.decode())
        self.assertIn("CETANE_DRIVER=/nonexistent", rows["environment"])

    def test_cache(self):
        """A cache that is none is told: compilations succeed without it."""
        folder, file = self.path("kept"), self.path("file")
        for value, row in [
                ("", "none: CETANE_CACHE_DIR names a folder for one"),
                (folder, folder + ", 0 entries"),
                (folder + "/a/b", "nothing can be kept in " + folder +
                 "/a/b: No such file or directory"),
                (file, "nothing can be kept in " + file +
                 ": Not a directory")]:
            self.write("file", "")
            rows = self.doctor(code=3, CETANE_DRIVER="/none",
                               CETANE_CACHE_DIR=value)
            self.assertEqual(rows["cache"], row)
        self.assertFalse(os.path.exists(folder))

    def test_usage(self):
        self.cetane("doctor", "fig2.dsl", code=2,
                    says="error[E606]: this verb takes options only")
        self.cetane("doctor", "--arch=sm_90", code=2, says="E601")
        self.cetane("doctor", "--help")


@unittest.skipUnless(os.environ.get("CETANE_FAKE_CUDA"), "no fake driver")
class Devices(Base):
    def fake(self, code=0, **env):
        return self.doctor(code=code, **dict(
            env, CETANE_DRIVER=os.environ["CETANE_FAKE_CUDA"]))

    def test_devices(self):
        rows = self.fake(FAKE_CUDA_DEVICES="2", FAKE_CUDA_CAPABILITY="90")
        self.assertEqual(rows["driver"], os.environ["CETANE_FAKE_CUDA"] +
                         ", CUDA 12.8 accepts PTX up to 8.7")
        for i, memory in [(0, 8192), (1, 16384)]:
            self.assertEqual(
                rows[f"cuda:{i}"], f"Fake GPU {i}, capability 9.0, {memory} "
                "MiB --arch=sm_90a fits; its PTX 8.1 is accepted")
        self.assertNotIn("cuda:2", rows)
        self.assertEqual(rows["last"], "A GPU can be used. Programs compile "
                         "to every kind of output but cubin.")

    def test_versions(self):
        for cuda, text in [("11070", "too old for PTX"),
                           ("11080", "up to 7.8"), ("12060", "up to 8.5"),
                           ("13000", "up to 9.0"), ("13010", "up to 9.1"),
                           ("14020", "CUDA 14.2 accepts PTX up to 9.1 at")]:
            rows = self.fake(FAKE_CUDA_VERSION=cuda)
            self.assertIn(text, rows["driver"])

    def test_targets(self):
        for capability, cuda, text in [
                ("121", "12080", "sm_121a fits; its PTX 8.8 is too new"),
                ("121", "12090", "sm_121a fits; its PTX 8.8 is accepted"),
                ("86", "11080", "sm_86 fits; its PTX 7.8 is accepted"),
                ("86", "11070", "only cubins load"),
                ("92", "12080", "sm_90 fits"),
                ("70", "12080", "older than every known")]:
            rows = self.fake(FAKE_CUDA_CAPABILITY=capability,
                             FAKE_CUDA_VERSION=cuda)
            self.assertIn(text, rows["cuda:0"])

    def test_unusable(self):
        for name in ["cuDevicePrimaryCtxRetain", "cuDeviceTotalMem"]:
            rows = self.fake(code=3, FAKE_CUDA_FAIL=name)
            self.assertIn(f"{name}: ", rows["cuda:0"])
            self.assertTrue(rows["cuda:0"].endswith("it cannot be used"))
        for name, row in [("cuInit", "driver"),
                          ("cuDriverGetVersion", "driver"),
                          ("cuDeviceGetCount", "devices")]:
            rows = self.fake(code=3, FAKE_CUDA_FAIL=name)
            self.assertIn(f"{name}: ", rows[row])

    def test_no_device(self):
        rows = self.fake(code=3, FAKE_CUDA_DEVICES="0")
        self.assertEqual(rows["devices"], "none")
        self.assertIn("accepts PTX", rows["driver"])
        self.assertTrue(rows["last"].startswith("No GPU can be used."))


if __name__ == "__main__":
    command.main()
