// --host-seed=889 --fp=strict --no-contract -Dn=40 -Dm=5
// The second loop ends where data have ended the first: all its iterations were counted.
void f(int n, int m, const long a[n], int b[n], long at[2])
{
	long s = 3;
	{ int i;
	for (i = 0; i < n - 1; i++) {
		if (a[i] != 12345) {
			break;
		}
	}
	s = i; }
	{ int i;
	for (i = 0; i < n && (s > 5); i++) {
		b[i] = 1;
	}
	s = i; }
	at[0] = s;
}
