// --host-seed=425 --fp=reassoc -Dn=7
// s0 <= 0.25 is in doubt for the interpreter, though it holds: s0 may be that or 0.625.
void f(int n, double D[n])
{
	double s0 = -0.5f;
	for (int i = 1; i < n - 1; i++) {
		s0 = ((0.5f * s0) - -0.5);
		if ((s0 <= 0.25))
			break;
	}
	D[1] = s0;
}
