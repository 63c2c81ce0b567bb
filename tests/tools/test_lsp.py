"""The verb lsp, by a client: JSON-RPC on the standard streams of the command."""
import json
import subprocess
import sys

import command
from mutations import mutations, solid

ALL = "--all" in sys.argv
PROGRAM = """param T, N;
tensor f32 u0(N), w(N);
// \U0001f600 steps of time
u(t,i) for 0 <= t <= T, 0 <= i < N = case {
	t == 0: u0(i);
	else: u(t-1,i) * w(i);
};
out mean() = sum(i: u(T,i)) / f32(N);
"""
MATRIX = """Params M, K;
Matrix A(M,K);
B = A + A;
B = B .* B; /* \U0001f600 */ C = B;
CodeGen(FLOAT, {C});
"""


class Client:
    def __init__(self, folder):
        self.number = 0
        self.process = subprocess.Popen(
            [command.CETANE, "lsp"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=folder)
        self.notices = []

    def send_raw(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) +
                                 body)
        self.process.stdin.flush()

    def notify(self, method, **params):
        self.send_raw(json.dumps({"jsonrpc": "2.0", "method": method,
                                  "params": params}).encode())

    def receive(self):
        length = None
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            name, value = line.decode().split(":")
            assert name == "Content-Length"
            length = int(value)
        text = self.process.stdout.read(length)
        assert len(text) == length
        return json.loads(text)

    def ask(self, method, **params):
        self.number += 1
        self.send_raw(json.dumps({
            "jsonrpc": "2.0", "id": self.number, "method": method,
            "params": params}).encode())
        while "id" not in (answer := self.receive()):
            self.notices.append(answer)
        assert answer["id"] == self.number and answer["jsonrpc"] == "2.0"
        return answer

    def diagnostics(self):
        """Of the text that was sent last."""
        notice = self.receive()
        assert notice["method"] == "textDocument/publishDiagnostics"
        return notice["params"]

    def open(self, text, uri="file:///x/p.dsl"):
        self.uri = uri
        self.notify("textDocument/didOpen", textDocument={
            "uri": uri, "languageId": "cetane", "version": 1, "text": text})
        return self.diagnostics()

    def change(self, text):
        self.notify("textDocument/didChange", textDocument={
            "uri": self.uri, "version": 2}, contentChanges=[{"text": text}])
        return self.diagnostics()

    def at(self, method, line, character):
        return self.ask("textDocument/" + method, textDocument={
            "uri": self.uri}, position={"line": line, "character":
                                        character})["result"]

    def hover(self, line, character):
        found = self.at("hover", line, character)
        return found and found["contents"]["value"]

    def definition(self, line, character):
        found = self.at("definition", line, character)
        if found is None:
            return None
        start, end = found["range"]["start"], found["range"]["end"]
        assert found["uri"] == self.uri and start["line"] == end["line"]
        return start["line"], start["character"], end["character"]

    def end(self, code):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        assert self.process.wait() == code, self.process.returncode


class Lsp(command.Case):
    def client(self):
        client = Client(self.folder.name)
        answer = client.ask("initialize", processId=None, rootUri=None,
                            capabilities={})["result"]
        self.assertEqual(answer["serverInfo"],
                         {"name": "cetane", "version": command.VERSION})
        for name in "hover", "definition", "documentFormatting":
            self.assertTrue(answer["capabilities"][name + "Provider"])
        client.notify("initialized")
        return client

    def finish(self, client):
        self.assertIsNone(client.ask("shutdown")["result"])
        client.notify("exit")
        client.end(0)

    def test_diagnostics(self):
        client = self.client()
        found = client.open(MATRIX.replace("C = B", "C = B * D"))
        self.assertEqual(found["uri"], "file:///x/p.dsl")
        one, = found["diagnostics"]
        self.assertEqual((one["code"], one["severity"], one["source"]),
                         ("E201", 1, "cetane"))
        # Behind a character that is two units of UTF-16.
        column = "B = B .* B; /* xx */ C = B * D;".index("D")
        self.assertEqual(one["range"],
                         {"start": {"line": 3, "character": column},
                          "end": {"line": 3, "character": column + 1}})
        self.assertEqual(client.change(MATRIX)["diagnostics"], [])
        several = client.change("A = B;\nC = $;\n")["diagnostics"]
        self.assertGreaterEqual(len(several), 1)
        client.notify("textDocument/didClose", textDocument={
            "uri": client.uri})
        self.assertEqual(client.diagnostics()["diagnostics"], [])
        self.finish(client)

    def test_other_notations(self):
        client = self.client()
        found = client.open("void f(int n, float x[n])\n{\n\tx[0] = y;\n}\n",
                            "file:///x/a%20b.c")
        self.assertTrue(found["diagnostics"])
        self.assertIsNone(client.hover(0, 5))
        self.assertIsNone(client.definition(0, 5))
        found = client.open("f32 f(f32 x) { return y; }\n", "file:///x/p.dag")
        self.assertTrue(found["diagnostics"])
        self.finish(client)

    def test_hover(self):
        client = self.client()
        client.open(PROGRAM)
        text = client.hover(3, 0)
        self.assertIn("f32 u[T+1,N]", text)
        self.assertIn("definitions", text)
        self.assertRegex(text, r"domain u_def = .*t = 0.*0 <= i < N")
        self.assertRegex(text, r"read u_def_1 = .*-> u\[-1 \+ t, i\]")
        self.assertRegex(text, r"write u_def_1 = .*-> u\[t, i\]")
        self.assertNotIn("mean", text)
        self.assertEqual(client.hover(5, 8), text)
        self.assertIn("f32 u0[N]", client.hover(4, 9))
        self.assertIn("params", client.hover(0, 6))
        self.assertIn("f32 mean[]", client.hover(7, 4))
        # A comment, a blank, a number, what is beyond the text.
        for place in (2, 1), (1, 2000), (4, 6), (400, 0):
            client.hover(*place)
        self.assertIsNone(client.hover(4, 0))
        client.open(MATRIX, "file:///x/m.dsl")
        self.assertIn("A[M,K]", client.hover(1, 7))
        self.assertIn("domain", client.hover(3, 21))
        # Of a program that is wrong nothing is known, and nothing breaks.
        client.change("A = B;")
        self.assertIsNone(client.hover(0, 0))
        self.finish(client)

    def test_definition(self):
        client = self.client()
        client.open(PROGRAM)
        lines = PROGRAM.split("\n")
        for line, word, want in (
                (7, "u", (3, 0, 1)), (5, "u", (3, 0, 1)),
                (3, "u", (3, 0, 1)), (4, "u0", (1, 11, 13)),
                (5, "w(", (1, 18, 19)), (7, "T", (0, 6, 7)),
                (7, "N", (0, 9, 10)), (5, "t", (3, 2, 3)),
                (7, "i)", (7, 17, 18)), (7, "mean", (7, 4, 8))):
            at = lines[line].index(word) if word != "u" or line != 7 else \
                lines[line].index("u(T")
            if line == 7 and word == "i)":
                at = lines[line].index("i))")
            self.assertEqual(client.definition(line, at), want, (line, word))
        client.open(MATRIX, "file:///x/m.dsl")
        self.assertEqual(client.definition(2, 4), (1, 7, 8))
        # The right side has the version before; what follows, the last.
        self.assertEqual(client.definition(3, 4), (2, 0, 1))
        self.assertEqual(client.definition(3, 0), (3, 0, 1))
        self.assertEqual(client.definition(3, 25), (3, 0, 1))
        self.assertEqual(client.definition(4, 16), (3, 21, 22))
        self.assertIsNone(client.definition(3, 6))
        self.finish(client)

    def test_formatting(self):
        client = self.client()
        client.open("Params  M;\nMatrix A(M , M);B=A ;\n")
        edit, = client.ask("textDocument/formatting", textDocument={
            "uri": client.uri}, options={})["result"]
        self.assertEqual(edit["newText"], "Params M;\nMatrix A(M, M);\n"
                         "B = A;\n")
        self.assertEqual(edit["range"],
                         {"start": {"line": 0, "character": 0},
                          "end": {"line": 2, "character": 0}})
        for text in "A = $;", "Params  M;\nMatrix A(M , M);B=A ; // \0\n":
            client.change(text)
            self.assertIsNone(client.ask("textDocument/formatting", textDocument={
                "uri": client.uri}, options={})["result"])
        self.finish(client)

    def test_messages_that_are_wrong(self):
        client = Client(self.folder.name)
        self.assertEqual(client.ask("textDocument/hover")["error"]["code"],
                         -32002)
        client.open = None
        client.notify("textDocument/didOpen", textDocument={
            "uri": "file:///p.dsl", "text": "A = B;"})
        self.assertIn("result", client.ask("initialize"))
        self.assertEqual(client.ask("no/such")["error"]["code"], -32601)
        for text, code in ((b"{", -32700), (b"{}", -32600), (b"[]", -32600),
                           (b"", -32700), (b"\xff\x00", -32700)):
            client.send_raw(text)
            answer = client.receive()
            self.assertEqual((answer["id"], answer["error"]["code"]),
                             (None, code))
        for params in ({}, {"textDocument": 3},
                       {"textDocument": {"uri": "file:///none"}},
                       {"textDocument": {"uri": []}, "position": []}):
            self.assertIsNone(client.ask("textDocument/hover",
                                         **params)["result"])
        client.notify("$/cancelRequest", id=3)
        client.notify("textDocument/didChange", textDocument={"uri": "x"},
                      contentChanges=[])
        self.assertIsNone(client.ask("shutdown")["result"])
        self.assertEqual(client.ask("textDocument/hover")["error"]["code"],
                         -32600)
        client.notify("exit")
        client.end(0)

    def test_mutations(self):
        """What is typed: the server answers, and formats what it can read."""
        client, uri, formatted = self.client(), "file:///m.dsl", 0
        client.notify("textDocument/didOpen", textDocument={
            "uri": uri, "languageId": "cetane", "version": 1, "text": ""})
        texts = list(mutations(2, 2000 if ALL else 100))
        for i, text in enumerate(texts):
            text = text.decode(errors="replace")
            client.notify("textDocument/didChange", textDocument={
                "uri": uri, "version": i + 2},
                contentChanges=[{"text": text}])
            place = {"line": i % 40 - 1, "character": i % 70}
            for what in "hover", "definition":
                client.ask("textDocument/" + what,
                           textDocument={"uri": uri}, position=place)
            edits = client.ask("textDocument/formatting", textDocument={
                "uri": uri}, options={})["result"]
            for edit in edits or []:
                formatted += 1
                self.assertEqual(solid(edit["newText"].encode()),
                                 solid(text.encode()))
        self.assertGreater(formatted, len(texts) // 4)
        self.assertIsNone(client.ask("shutdown")["result"])
        client.notify("exit")
        client.end(0)

    def test_end(self):
        """Without a word of farewell, and in the middle of a message."""
        client = self.client()
        client.notify("exit")
        client.end(1)
        client = self.client()
        client.end(1)
        client = self.client()
        client.process.stdin.write(b"Content-Length: 100\r\n\r\n{")
        client.end(1)
        client = self.client()
        client.process.stdin.write(b"Content-Length: 99999999999\r\n\r\n{")
        client.end(1)


if __name__ == "__main__":
    command.main()
