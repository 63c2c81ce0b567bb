// --host-seed=3
// What is longer by one loop is used again in each step of another.
void f(float a[40][8], float y[21][40])
{
	float s[8];
	for (int t = 0; t < 20; t++)
		for (int i = 0; i < 40; i++) {
			for (int j = 0; j < 8; j++)
				s[j] = a[i][j] - t;
			y[t + 1][i] = s[0] - s[7] + y[t][i] * 0.5f;
			for (int j = 0; j < 8; j++)
				s[j] = s[j] * 0.5f + y[t][39 - i];
			y[t + 1][i] = y[t + 1][i] + s[3];
		}
}
