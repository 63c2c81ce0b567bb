// sizes: n=1 m=1; n=9 m=2; n=40 m=7
// "goto" to what is further down, and labels where ways meet.
void jumps(int n, int m, double a[n + 1], double b[n + 1], const double c[n],
	const double d[n], const double e[n], int flag[n], float s[1])
{
	for (int i = 0; i < n; i++) {
		if (b[i] < 0.)
			goto L20;
		a[i] = c[i] + d[i] * e[i];
		goto L10;
	L20:
		b[i + 1] = a[i] + d[i] * d[i];
	L10:
		;
	}
	for (int i = 0; i < n; i++) {
		if (a[i] >= 0.)
			goto L21;
		if (b[i] >= 0.)
			goto L30;
		a[i] += c[i] * d[i];
	L30:
		b[i + 1] = c[i] + d[i] * e[i];
	L21:
		flag[i]++;
	}
	for (int i = 0; i < n; i++) {
		int t = 1;

		if (i < m)
			goto small;
		if (flag[i] > 2) {
			a[i] = 3;
			if (i % 2)
				goto done;
			t = 5;
			goto both;
		}
		b[i] += 2;
		if (a[i] > 1)
			continue;
	small:
		t += 2;
		a[i] *= 0.5;
	both:
		flag[i] += t;
		if (t > 4)
			goto done;
		a[i] += t;
	done:
		b[i] -= 0.25;
	}
	for (int i = 0; i < n; i++) {
		if (i == m + 3)
			goto out;
		a[i] += 1;
	}
out:
	if (m < 3)
		goto end;
	{
		s[0] += a[0];
		if (a[0] > 0)
			goto end;
	}
	s[0] += 1;
end:
	s[0] *= 2;
}
