// --host-seed=758 --fp=reassoc --parametric --roundtrip -Dn=3 -Dm=1
// (s0 - 0.1f) - 2.0f is s0 updated by a sum of two terms, which is rounded before it
// meets s0.
double sqrt(double); float sqrtf(float); double fabs(double); float fabsf(float);
struct f_C { float u1; float C; struct { float w, D; } inD[2]; float R; float u8; };
void f(int n, int m, struct f_C C[n + 2])
{
	float s0 = 0.1;
	for (int i = 0; i < n; i++) {
		s0 = C[i + 2].C;
		if (C[0].inD[0].D) {
		}
		if ((1 == 1.5)) {
		} else {
			s0 = ((s0 - 0.1f) - 2.0f);
		}
	}
	{ struct f_C t_ = C[1]; t_.R = s0; C[1] = t_; }
}
