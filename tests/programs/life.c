// sizes: n=3 steps=1; n=8 steps=3; n=13 steps=2
typedef unsigned char cell;

void life(int n, int steps, unsigned char A[n][n], unsigned char B[n][n])
{
	for (int t = 0; t < steps; t++) {
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++) {
				int around = 0;

				for (int k = -1; k <= 1; k++)
					for (int l = -1; l <= 1; l++)
						if (k != 0 || l != 0)
							around += A[i + k][j + l] & 1;
				B[i][j] = around == 3 || (around == 2 &&
					(A[i][j] & 1));
			}
		for (int i = 1; i < n - 1; i++)
			for (int j = 1; j < n - 1; j++)
				A[i][j] = (cell)B[i][j];
	}
}
