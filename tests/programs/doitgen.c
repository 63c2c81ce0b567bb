// sizes: nr=1 nq=1 np=1; nr=5 nq=4 np=7; nr=3 nq=0 np=5
void doitgen(int nr, int nq, int np, double a[nr][nq][np], double c4[np][np],
	double sum[np])
{
	for (int r = 0; r < nr; r++)
		for (int q = 0; q < nq; q++) {
			for (int p = 0; p < np; p++) {
				sum[p] = 0.0;
				for (int s = 0; s < np; s++)
					sum[p] += a[r][q][s] * c4[s][p];
			}
			for (int p = 0; p < np; p++)
				a[r][q][p] = sum[p];
		}
}
