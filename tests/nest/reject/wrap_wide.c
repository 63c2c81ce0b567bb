// Values that leave their type for sizes that a program can be given, and some that
// do not.
void f(int n, const int a[n], int p[n], int q[n], int r[n])
{
	for (int i = 0; i < n; i++) {
		p[i] = (unsigned)i * 40503u % 16 < 8 ? a[i] : 1; // WARNING[W281] 10: n <= 106041,
		q[i] = (unsigned)i * 2u + 1u < 64 ? a[i] : 1;
		r[i] = (int)((long)i * 2) < 64 ? a[i] : 1; // WARNING[W281] 10: n <= 1073741824,
		p[i] += (int)((long)i + 1) < 64 ? a[i] : 1;
		q[i] += (int)((unsigned)i + 1u) < 64 ? a[i] : 1;
		if ((int)((unsigned long)i << 30) > 4) // WARNING[W281] 7: n <= 2,
			r[i] += 1;
	}
	for (unsigned j = 4294967290u; j != 3; j++) // ERROR[E264] 33: wraps
		p[0] += 5;
}
