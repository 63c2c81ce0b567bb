#include <math.h>

void nbody(int n, float oldpos[4 * n], float oldpos1[4 * n], float oldvel[4 * n],
	float force[4 * n], float newpos[4 * n], float newvel[4 * n])
{
	float r0, r1, r2, inverse, mass;

	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++) {
			r0 = oldpos[4 * j] - oldpos1[4 * i];
			r1 = oldpos[4 * j + 1] - oldpos1[4 * i + 1];
			r2 = oldpos[4 * j + 2] - oldpos1[4 * i + 2];
			inverse = 1.0f / sqrtf(r0 * r0 + r1 * r1 + r2 * r2 + 0.00125f);
			mass = oldpos[4 * j + 3] * inverse * inverse * inverse;
			force[4 * i] = force[4 * i] + r0 * mass;
			force[4 * i + 1] = force[4 * i + 1] + r1 * mass;
			force[4 * i + 2] = force[4 * i + 2] + r2 * mass;
		}
		newpos[4 * i] = oldpos[4 * i] + oldvel[4 * i] + force[4 * i];
		newvel[4 * i] = oldvel[4 * i] * 0.995f;
	}
}
