// sizes: n=1 m=1; n=7 m=2; n=12 m=3
// Arrays and structures that are declared under conditions on data.
struct begun { int u; struct { int x, y; } in[2]; };
void begun_under(int n, int m, struct begun s[n], int k[n], int a[n])
{
	for (int i = 0; i < n; i++) {
		if (k[i] > 0) {
			int t[2] = { a[i], m };

			a[i] = t[0] * t[1];
		}
		if (k[i] < 3) {
			struct begun t = s[i];

			t.in[1].x = a[i];
			s[i] = t;
		} else {
			struct begun t[2] = { { 1, { { 2, 3 } } } };

			t[1].in[0] = s[i].in[1];
			s[i] = t[m & 1];
		}
	}
}
