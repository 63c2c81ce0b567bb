// --host-seed=342 --fp=strict --no-contract -Dn=3 -Dm=1
// 0.1f < 0.1 is in doubt for the interpreter: what is behind the exit may be done.
void f(int n, int m, float P[n], float Q[m])
{
	float s0 = 0.1;
	for (int i = 0; i < n; i++) {
		if (s0 < 0.1)
			break;
		P[i] = 1;
	}
	for (int i = 0; i < n; i++) {
		if (s0 < 0.1) {
			s0 = 7;
			break;
		} else {
			s0 = s0 + 1;
		}
	}
	Q[0] = s0;
}
