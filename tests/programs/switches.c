// sizes: n=1 m=1; n=20 m=3; n=41 m=7
// "switch": cases that fall through, share text, leave the loop's body; "default"
// in any place; on data and on loop variables.
static int pick(int k)
{
	switch (k) {
	case -1:
		return 5;
	case 0: case 1:
		return 7;
	}
	return k;
}

int switches(int n, int m, const int kind[n], const unsigned char tag[n], double a[n],
	double b[n], long l[n])
{
	int count = 0;

	for (int i = 0; i < n; i++) {
		switch (kind[i]) {
		case 1:
			a[i] += b[i];
			break;
		case 2: case -3:
			a[i] -= b[i];
		case 0:
			b[i] = 1.5 * a[i];
			if (a[i] > 0.25)
				break;
			b[i] += 1;
			break;
		default:
			a[i] = -a[i];
			for (int j = 0; j < 3; j++) {
				if (j + i == m)
					break;
				a[i] += j;
			}
			break;
		case 4:
			count++;
			continue;
		}
		count += 2;
	}
	for (int i = 0; i < n; i++) {
		double t = a[i];

		switch (i % 4 + m) {
			int k;
		case 1:
			k = 3;
			t *= k;
			break;
		case 3:
			t += 1;
			switch (tag[i] + 1) {
			case 256: case 300:
				t += 100;
				break;
			default:
				if (t > 1)
					goto next;
				t -= 1;
			}
			t *= 2;
		case 4:
			t += 7;
		}
		b[i] += t;
	next:
		l[i] = pick(kind[i]);
	}
	for (int i = 0; i < n; i++)
		switch ((short)(l[i] * 40000)) {
		default:
			l[i] += 1;
		case 7: {
			l[i] -= 7;
			break;
		}
		case 'a' - 60000:
			l[i] = 3;
		}
	switch (m) { }
	switch (m) {
	case 7:
		return count;
	}
	return -count;
}
