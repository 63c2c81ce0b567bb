#include <math.h>

struct value {
	float kx, ky, kz, phi;
};

void mriq(int k, int n, struct value value[k], float x[n], float y[n], float z[n],
	float qr[n], float qi[n])
{
	float arg, cosine, sine, phi;

	for (int i = 0; i < k; i++)
		for (int j = 0; j < n; j++) {
			arg = 6.2831853f * (value[i].kx * x[j] + value[i].ky * y[j] +
				value[i].kz * z[j]);
			cosine = cosf(arg);
			sine = sinf(arg);
			phi = value[i].phi;
			qr[j] += phi * cosine;
			qi[j] += phi * sine;
		}
}
