void one_cell(int n, float x[1], float y[2 * n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			x[0] = 2.0f * y[i + j] - x[0];
}
