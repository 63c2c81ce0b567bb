// sizes: n=1; n=7; n=37
// Scalars that get their value in both branches of an affine condition, under
// one that is data: nothing reads what they held before.
float sides_of_branch(int n, float a[n], float b[n])
{
	float s = 0, t;

	for (int i = 0; i < n; i++) {
		float d = a[i];

		if (d >= 0) {
			float p;

			if (i > 5)
				p = (d + 0.25f) * d;
			else
				p = (d + 0.75f) * d + b[i];
			s += p;
			if (i % 3 == 0) {
				t = p * b[i];
			} else {
				t = p + b[i];
				if (t > 1)
					t = 1;
			}
			b[i] = t;
		}
	}
	return s;
}
