#include <math.h>

void cenergy(int v, int m, float atoms[4 * m], float energy[v][v], float step, float z)
{
	for (int j = 0; j < v; j++)
		for (int i = 0; i < v; i++)
			for (int n = 0; n < m; n++) {
				float dx = step * (float)i - atoms[4 * n];
				float dy = step * (float)j - atoms[4 * n + 1];
				float dz = z - atoms[4 * n + 2];

				energy[j][i] += atoms[4 * n + 3] /
					sqrtf(dx * dx + dy * dy + dz * dz);
			}
}
