"""What cases of the verb inspect share: programs, and the facts of one."""
import json

import command

CHAIN = """Params M, K, N;
Matrix W(N,K);
Matrix X(M,K);
Matrix Y(K,N);
T = X * Y;
Z = T * W;
CodeGen(FLOAT, {Z});
"""

# Read down the columns: each lane of a warp reads another row.
TURN = """Params M, N;
Matrix X(N,M);
Y = X' + 1;
CodeGen(%s, {Y});
"""

# A step a launch, of which each does other points than the last.
STEPS = """void steps(int n, int t, double a[n][n], double b[n][n])
{
	for (int s = 0; s < t; s++) {
		for (int i = s; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				b[i][j] = a[i][j - 1] + a[i][j + 1];
		for (int i = s; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				a[i][j] = b[i][j - 1] * b[i][j + 1];
	}
}
"""

NO_ASSEMBLER = {"CETANE_PTXAS": "none", "CETANE_NVJITLINK": "none"}


class Source(command.Case):
    def facts(self, text, *args, **more):
        self.write("p.dsl", text)
        out, _ = self.cetane("inspect", "p.dsl", "--json", *args, **more)
        return json.loads(out)
