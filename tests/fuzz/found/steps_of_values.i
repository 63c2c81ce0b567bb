// --host-seed=3
// What is written in one step is read in the next by other iterations of a loop.
void f(float a[10][8], float y[10][8])
{
	float x[8];
	for (int t = 0; t < 10; t++)
		for (int i = 0; i < 8; i++) {
			if (t % 2 == 0)
				x[i] = a[t][i];
			if (t % 2 == 1)
				y[t][i] = x[7 - i];
		}
}
