#!/usr/bin/env python3
"""House rules that a machine can check.

usage: check.py SOURCE-FOLDER BUILD-FOLDER

Walls between folders, prefixes of symbols, one exported function a pass and
its contract line, no printing and no exit in libraries, lengths of functions
and files, owners of isl objects, a header comment in every file, the share of comments
in each house; README is one screen, and the guide's figure shows what the driver calls. No pass and no emitter knows a routine of a
library by name: what it does follows from schedule and maps. Only what prints
times and what watches limits asks for the time. No test has a time limit of its
own. Only some files compute where in a kernel the elements of a thread lie. Messages
are given the values that their texts have places for.
"""
import collections
import glob
import os
import re
import subprocess
import sys

# What README.md only begins to tell; lines of a screen.
GUIDE, SCREEN = "tools/pages/guide.md", 50
PREFIX = {"frontend": "fe_", "polyir": "poly_", "nvptx": "nvptx_",
          "runtime": "cetane_", "tools/lib": ("tool_", "cetane_")}
# What a folder's files may include of the others.
WALLS = {"frontend": {"frontend", "polyir"}, "polyir": {"polyir"},
         "nvptx": {"nvptx", "polyir"}, "runtime": {"runtime"},
         "tools/lib": {"tools/lib", "frontend", "polyir", "nvptx",
                       "runtime"}}
# The worker is a process of ours: it may end.
MAY_END = {"nvptx/assemble/child.c", "tools/lib/worker/worker.c",
           "tools/lib/base/stage.c"}
# Who has text of isl's to read: the text form of programs, sizes that a launch meets,
# and conditions that the front end keeps as text. All else makes its sets and maps
# (polyir/base/tuple.c).
MAY_READ = {"polyir/text/canon.c", "polyir/text/scan_isl.c",
            "nvptx/plan/plan_formula.c", "frontend/c/lower/c_program.c",
            "frontend/c/lower/c_interp_nest.c", "frontend/index/call_nest.c"}
# Who asks for the time: what prints it, and what watches the limits.
CLOCKS = set("""
    clock clock_getcpuclockid clock_gettime ftime getloadavg getrusage
    gettimeofday time timer_create timerfd_create times timespec_get setitimer
    alarm tool_group_used tool_now tool_used
""".split())
MAY_TELL_TIME = {"polyir/driver.c", "tools/lib/base/stage.c",
                 "tools/lib/base/used.c", "tools/lib/worker/worker.c"}
# Who computes with the threads of a block and their runs where elements lie: layouts,
# what chooses and checks blocks, and emitters that go along lines of a tile. All else
# asks a layout. How many threads there are, or points of one, says nothing of that.
MAY_PLACE = {"polyir/layout/", "polyir/place/", "polyir/cost/model.c",
             "polyir/cost/model_unit.c", "polyir/tune/config.c",
             "polyir/legal/legal_line.c", "polyir/legal/verify.c",
             "nvptx/value/lower_runs.c",
             "nvptx/lower/lower_fold.c",
             "nvptx/lower/reduce_line.c",
             "nvptx/lower/lower_scan.c", "nvptx/lower/lower_tile.c",
             "nvptx/lower/scan_place.c",
             "nvptx/contract/contract_place.c"}
OF_KERNEL = r"[\w>.-]*"
COUNTS = [re.compile(p % {"of": OF_KERNEL}) for p in (
    r"%(of)sthread\[0\]\s*\*\s*%(of)sthread\[1\]",
    r"%(of)stile\[([^]]*)\]\s*/\s*%(of)sthread\[\1\]")]
PLACES = re.compile(r"(?:thread|vec)\[[^]]*\]\)?\s*[*/%%]|"
                    r"[*/%%]\s*\(?%sb?(?:thread|vec)\[" % OF_KERNEL)
# Routines of libraries, without the letter of a type in front.
ROUTINES = set("""
    asum axpby axpy dotc dotu gbmv gemm gemmex gemmt gemv ger gerc geru hemm
    hemv her her2 her2k herk iamax iamin nrm2 rotg rotm sbmv scal spmm spmv spr
    spr2 symm symv syr syr2 syr2k syrk tbmv tbsv tpmv tpsv trmm trmv trsm trsv
    geqrf getrf gesv posv potrf potrs matmul matvec bmm baddbmm addmm mttkrp
    conv conv1d conv2d conv3d convolution convolutions deconv depthwise im2col
    winograd softmax logsoftmax layernorm batchnorm groupnorm rmsnorm maxpool
    avgpool lstm gru attention blas cublas cublaslt cudnn cutlass lapack
""".split())
FUNCTION_MOST, FILE_MOST, FOLDER_MOST = 60, 800, 25
# Static functions of more lines have a comment, but for those of tests.
SPEAKS_FOR_ITSELF = 15
# Of 100 lines of a house that are not empty so many are lines of comments.
HOUSES = ("frontend", "polyir", "nvptx", "runtime", "tools")
COMMENTS_LEAST, COMMENTS_MOST = 18, 28

problems = []


def say(place, text):
    problems.append("%s: %s" % (place, text))


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(\\.|[^\"\\\n])*\"",
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text,
                  flags=re.S)


def sources(root, folder):
    """The C files and headers of a folder and of those in it, by their paths."""
    return sorted(os.path.relpath(file, root) for file in glob.glob(
        os.path.join(root, folder, "**", "*.[ch]"), recursive=True))


def places(root, folder):
    """Name of a source without its folder -> its path. No two have one name."""
    found = {}
    for path in sources(root, folder):
        other = found.setdefault(os.path.basename(path), path)
        if other != path:
            say(path, "has the name of %s" % other)
    return found


def house_of(path):
    """The folder of PREFIX that a path is in."""
    return next((f for f in sorted(PREFIX, reverse=True)
                 if path.startswith(f + "/")), path.split("/")[0])


def check_includes(path, folder, text):
    for name in map(house_of, re.findall(r'#include "([^"]+/[^"]+)"', text)):
        if name not in WALLS[folder]:
            if not (folder == "nvptx" and "runtime/host_abi.h" in text):
                say(path, "includes %s/" % name)
    system = set(re.findall(r"#include <(llvm-c|isl|cuda)", text))
    allowed = {"nvptx": {"llvm-c", "isl"}, "polyir": {"isl"},
               "frontend": {"isl"}, "tools/lib": {"isl"},
               "runtime": set()}[folder]
    for name in system - allowed:
        say(path, "includes <%s>" % name)


def check_calls(path, folder, code):
    for word in re.findall(r"\b(exit|abort|_exit)\s*\(", code):
        if path not in MAY_END:
            say(path, "calls %s" % word)
    if path not in MAY_READ and re.search(r"_read_from_str\b", code):
        say(path, "reads text of isl's")
    printing = r"\b(printf|puts|putchar|perror|vprintf)\s*\(|\bstderr\b"
    if path != "frontend/base/diag.c" and re.search(printing, code):
        say(path, "prints")


def is_comment(lines):
    """Of each line that is not empty: does a comment begin it, or go on in it?"""
    inside = False
    for line in filter(None, map(str.strip, lines)):
        yield inside or line.startswith(("/*", "//"))
        inside = line.rfind("/*") > line.rfind("*/") or (
            inside and "*/" not in line)


def check_shares(root):
    """Enough comments for a newcomer, and more code than comments."""
    for house in HOUSES:
        found = []
        for path in sources(root, house):
            with open(os.path.join(root, path)) as f:
                found += is_comment(f)
        share = 100 * sum(found) / len(found)
        if not COMMENTS_LEAST <= share <= COMMENTS_MOST:
            say(house, "has %.1f lines of comments in 100, and not %d to %d" % (
                share, COMMENTS_LEAST, COMMENTS_MOST))


def check_lengths(path, code):
    if code.count("\n") > FILE_MOST:
        say(path, "has %d lines" % code.count("\n"))
    start = None
    for i, line in enumerate(code.split("\n"), 1):
        if line.startswith("{"):
            start = i
        elif line.startswith("}") and start:
            if i - start > FUNCTION_MOST:
                say("%s:%d" % (path, start), "a function of %d lines"
                    % (i - start))
            start = None


def check_comments(path, text):
    for m in re.finditer(r"(?ms)^static [^;{}#=]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}",
                         text):
        if m[2].count("\n") > SPEAKS_FOR_ITSELF and \
                not text[:m.start()].endswith("*/\n"):
            say(path, "%s has %d lines and no comment"
                % (m[1], m[2].count("\n")))


def check_ownership(path, code):
    """isl objects in the head of a function say who owns them; names, not
    user pointers, tell what an isl_id is.
    """
    for head in re.findall(r"(?m)^[a-z_][^;{}#=]*\)\n\{", code):
        for before in re.findall(
                r"(\w*)\s*\bisl_(?!ctx|stat|bool|size|error)\w+ \*(?!\*)", head):
            if not re.fullmatch(r"__isl_(give|take|keep|null)", before) and \
                    before != "const":
                say(path, "no owner in: %s" % " ".join(head[:-1].split()))
    for call in re.findall(r"\bisl_id_alloc\([^;]*;", code):
        if "polyir" in path and not re.search(r", NULL\)", call):
            say(path, "an isl_id with a user pointer")


# Programs that tests compile, not sources of ours.
CASES = ("tests/programs/", "tests/golden/", "tests/nest/programs/",
         "tests/nest/reject/", "tests/frontend/accept/",
         "tests/frontend/reject/",
         "tests/fuzz/found/", "tests/fuzz/corpus/")


def check_other_files(root):
    """Tests, and the command beside its library, have the lengths of all; folders of
    tests, which graph.py does not see, have no more sources than others.
    """
    count = collections.Counter()
    for folder in ("tests", "tools"):
        for path in sources(root, folder):
            if path.startswith(CASES + ("tools/lib/",)):
                continue
            count[os.path.dirname(path)] += path.endswith(".c")
            with open(os.path.join(root, path)) as f:
                text = f.read()
            check_lengths(path, strip_comments(text))
            if folder == "tools":
                check_comments(path, text)
    for folder, n in count.items():
        if n > FOLDER_MOST:
            say(folder, "has %d sources" % n)


def check_files(root):
    for folder in PREFIX:
        paths = sources(root, folder)
        if not paths:
            say(folder, "has no files")
        for path in paths:
            with open(os.path.join(root, path)) as f:
                text = f.read()
            if not text.startswith("/*"):
                say(path, "has no header comment")
            code = strip_comments(text)
            check_includes(path, folder, text)
            check_calls(path, folder, code)
            check_lengths(path, code)
            check_comments(path, text)
            check_ownership(path, code)


def check_place(root):
    """Only some compute where in a kernel the elements of a thread lie."""
    found = set()
    for name in sources(root, "polyir") + sources(root, "nvptx"):
        with open(os.path.join(root, name)) as f:
            code = strip_comments(f.read())
        for count in COUNTS:
            code = count.sub("count", code)
        if not PLACES.search(code):
            continue
        may = {name, os.path.dirname(name) + "/"} & MAY_PLACE
        found |= may
        if not may:
            say(name, "computes where elements of a thread lie")
    for name in sorted(MAY_PLACE - found - {"polyir/place/"}):
        say(name, "computes no places of elements any more")


def is_routine(word):
    """"gemm", "sgemm", and "gemm" of "gemm_bias"; not "convert"."""
    return word in ROUTINES or word[:1] in list("sdchz") and \
        word[1:] in ROUTINES


def check_routines(root):
    """Whole words of identifiers, comments and texts; a mode of a PTX instruction has
    the name of one.
    """
    files = [os.path.join(root, "polyir", "README.md"),
             os.path.join(root, "nvptx", "README.md")]
    for folder in ("nvptx", "polyir"):
        for kind in ("*.[ch]", "*.def"):
            files += glob.glob(os.path.join(root, folder, "**", kind),
                               recursive=True)
    for file in sorted(files):
        with open(file) as f:
            for i, line in enumerate(f, 1):
                line = line.replace(".global.im2col", "")
                for word in re.findall(r"[A-Za-z0-9]+", line):
                    if is_routine(word.lower()):
                        say("%s:%d" % (os.path.relpath(file, root), i),
                            "%s is a library's routine" % word)
    if not is_routine("gemm") or not is_routine("ssyrk") or \
            is_routine("convert") or is_routine("scale"):
        say("check.py", "the rule about routines is broken")


def check_runtime_names(root):
    """--emit=runtime makes one C file of runtime/: no two files may have a
    static function, a struct or a variable of one name.
    """
    seen = {}
    for file in sorted(glob.glob(os.path.join(root, "runtime", "**", "*.c"),
                              recursive=True)):
        path = os.path.relpath(file, root)
        with open(file) as f:
            code = strip_comments(f.read())
        names = re.findall(r"(?m)^static [^;={(]*?(\w+)\s*[(=;\[]", code)
        names += re.findall(r"(?m)^(?:struct|union|enum) (\w+) \{", code)
        names += re.findall(r"(?m)^\t([A-Z][A-Z0-9_]+)(?: =|,|$)", code)
        for name in names:
            other = seen.setdefault(name, path)
            if other != path:
                say(path, "%s is a name in %s, too" % (name, other))


def symbols(library):
    """Object file -> its global symbols."""
    out = subprocess.run(["nm", "-g", "--defined-only", library],
                         capture_output=True, text=True, check=True).stdout
    result, name = {}, None
    for line in out.split("\n"):
        if line.endswith(".o:"):
            name = line[:-1]
            result[name] = []
        elif len(line.split()) == 3 and line.split()[1] in "TDBRC":
            result[name].append(line.split()[2])
    return result


def check_symbols(root, build):
    table = {}
    for folder, prefix in PREFIX.items():
        name = {"runtime": "rt", "tools/lib": "lib"}.get(folder, folder)
        library = os.path.join(build, "libcetane_%s.a" % name)
        table[folder] = symbols(library)
        for obj, names in table[folder].items():
            for symbol in names:
                if not symbol.startswith(prefix) and \
                        not symbol.startswith(("__odr_asan", "_R")):
                    say("%s/%s" % (folder, obj),
                        "%s lacks the prefix %s" % (symbol, prefix))
    return table


def check_clocks(root, build):
    """What is built does not depend on how fast that is."""
    for folder in WALLS:
        if folder == "runtime":
            continue
        library = os.path.join(build, "libcetane_%s.a" % {
            "tools/lib": "lib"}.get(folder, folder))
        out = subprocess.run(["nm", "-A", "-u", library], capture_output=True,
                             text=True, check=True).stdout
        used = re.findall(r"(?m):(\w+\.c)\.o: +U (\w+)(?:@\S+)?$", out)
        where = places(root, folder)
        for file, symbol in used:
            path = where.get(file, file)
            if symbol in CLOCKS and path not in MAY_TELL_TIME:
                say(path, "asks for the time: %s" % symbol)
        if not used:
            say(folder, "calls nothing")


def check_passes(root, table):
    """The passes are the rows of driver.c's tables."""
    with open(os.path.join(root, "polyir", "driver.c")) as f:
        rows = set(re.findall(r'\{ "(\w+)", (poly_\w+)', f.read()))
    if len(rows) < 8:
        say("polyir/driver.c", "has too few passes to be true")
    where = places(root, "polyir")
    for name, function in sorted(rows):
        path = where.get(name + ".c", name + ".c")
        if function != "poly_" + name:
            say(path, "the pass is called %s" % function)
        exported = [s for s in table["polyir"].get(name + ".c.o", [])
                    if not s.startswith("__odr")]
        if exported != [function]:
            say(path, "exports %s" % exported)
        with open(os.path.join(root, path)) as f:
            text = f.read()
        if not re.search(r"\* requires [^\n]*(\n \* )?[^\n]*; establishes",
                         text):
            say(path, "has no contract line")
        for case in ("changes", "stays"):
            test = "tests/golden/passes/%s/%s.poly" % (name, case)
            if not os.path.exists(os.path.join(root, test)):
                say(path, "has no %s" % test)


def arguments(text):
    """Those of a call, from behind its bracket on, or None if it does not end."""
    found, depth, quote, begin, i = [], 0, "", 0, 0
    while i < len(text):
        c = text[i]
        if quote:
            i += c == "\\"
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "([{":
            depth += 1
        elif depth == 0 and c in ",)":
            found.append(text[begin:i].strip())
            begin = i + 1
            if c == ")":
                return found
        elif c in ")]}":
            depth -= 1
        i += 1
    return None


def check_messages(root):
    """Calls give a message as many values as its text has places for: these have no
    prototype that a compiler could check.
    """
    with open(os.path.join(root, "polyir/base/message.def")) as f:
        rows = re.findall(r'MSG\(\d+, (\w+), \w+,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', f.read())
    places = {name: sum(1 + one.count("*") for one in re.findall(
        r"%[-+ #0-9.*]*", text.replace("%%", ""))) for name, text in rows}
    calls = 0
    for path in sorted(glob.glob(os.path.join(root, "*", "**", "*.c"), recursive=True)):
        with open(path) as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for call in re.finditer(r"\b(?:FE_REPORT|poly_report_add)\(", text):
            given = arguments(text[call.end():])
            name = given[1].replace("MSG_", "") if given and len(given) > 2 else None
            calls += name in places
            if name in places and places[name] != len(given) - 3:
                say(os.path.relpath(path, root), "gives %s %d values, its text has %d"
                    % (name, len(given) - 3, places[name]))
    if len(places) < 250 or calls < 250:
        say("polyir/base/message.def", "has too few messages to be true")


def figure(root):
    """The boxes of the guide's figure: [function, kinds that it gives]. Kinds
    stand in front of column 38, remarks behind it.
    """
    with open(os.path.join(root, GUIDE)) as f:
        text = f.read()
    text = text[text.index("     source text\n"):].split("\n\n")[0]
    boxes = []
    for line in text.split("\n"):
        head, box = line[:38], re.match(r"     (\w+) -+> ", line)
        if box:
            boxes.append([box[1], []])
            head = head[box.end():]
        if boxes:
            boxes[-1][1] += re.findall(r"[a-z][a-z-]*(?: <=>)?", head)
    return boxes


def stages(root):
    """What run_stages calls: [function, kinds that are printed behind it]. A
    stage that reads a kind back counts as "<=>" behind the kind.
    """
    with open(os.path.join(root, "tools", "lib", "compile", "compile.c")) as f:
        body = re.search(r"\nstatic bool run_stages.*?\n}\n", f.read(), re.S)
    result, readers = [], set()
    for what, name in re.findall(r"\b(RUN|RUN_ISL|EMIT)\((\w+),",
                                 body.group()):
        name = name.lower()
        if what == "EMIT":
            result[-1][1].append(name.replace("_", "-"))
        elif name in ("poly_parse", "nvptx_read"):
            readers.add({"poly_parse": "poly", "nvptx_read": "llvm"}[name])
        else:
            result.append([name, []])
    for _, kinds in result:
        kinds[:] = [k + " <=>" if k in readers else k for k in kinds]
    return result


def check_figure(root):
    """The driver and the guide's figure name the same boxes in the same order;
    code for the host device is a remark in the figure.
    """
    calls = stages(root)
    if not calls or calls[-1] != ["nvptx_jit", []]:
        say("tools/lib/compile/compile.c", "does not end in nvptx_jit")
    if figure(root) != calls[:-1]:
        say(GUIDE, "the figure shows %s, run_stages calls %s"
            % (figure(root), calls[:-1]))


def check_time(root):
    """A test that has seconds of its own fails on a busy machine."""
    for file in sorted(glob.glob(os.path.join(root, "tests", "*",
                                              "CMakeLists.txt"))):
        with open(file) as f:
            for i, line in enumerate(f, 1):
                if re.search(r"\bTIMEOUT\b", line):
                    say("%s:%d" % (os.path.relpath(file, root), i),
                        "TIMEOUT: tests/CMakeLists.txt has that of all tests")


def check_tables(root):
    """The README of a folder has a row for each of its files, and no other."""
    for house in PREFIX:
        folders = {os.path.dirname(p) for p in sources(root, house)}
        for folder in sorted(folders - {"polyir", "nvptx", "frontend",
                                        "runtime"}):
            path = os.path.join(folder, "README.md")
            if not os.path.exists(os.path.join(root, path)):
                say(path, "is not there")
                continue
            with open(os.path.join(root, path)) as f:
                text = f.read()
            rows = set(re.findall(r"(?m)^\| `(\w+\.(?:c|h|def))` \|", text))
            have = {n for n in os.listdir(os.path.join(root, folder))
                    if n.endswith((".c", ".h", ".def"))}
            for name in sorted(have - rows):
                say(path, "lacks %s" % name)
            for name in sorted(rows - have):
                say(path, "has %s, which is not there" % name)


def check_documents(root):
    """What newcomers read names files that there are."""
    with open(os.path.join(root, "README.md")) as f:
        if len(f.readlines()) > SCREEN:
            say("README.md", "is longer than a screen; what it has beside the "
                "first steps belongs in " + GUIDE)
    for name in ("README.md", GUIDE, ".github/SECURITY.md",
                 ".github/CONTRIBUTING.md"):
        with open(os.path.join(root, name)) as f:
            text = f.read()
        for path in re.findall(r"(?<![\w./-])(?:frontend|polyir|nvptx|runtime|"
                               r"tools|tests|\.github)/[\w./-]*\w", text):
            if not os.path.exists(os.path.join(root, path)):
                say(name, "there is no %s" % path)
    with open(os.path.join(root, ".github/SECURITY.md")) as f:
        if "private vulnerability reporting" not in f.read():
            say(".github/SECURITY.md", "does not say how to report")


def main():
    root, build = sys.argv[1], sys.argv[2]
    check_files(root)
    check_other_files(root)
    check_shares(root)
    check_runtime_names(root)
    check_routines(root)
    check_passes(root, check_symbols(root, build))
    check_messages(root)
    check_figure(root)
    check_clocks(root, build)
    check_time(root)
    check_place(root)
    check_tables(root)
    check_documents(root)
    print("\n".join(problems) or "no rule is broken")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
