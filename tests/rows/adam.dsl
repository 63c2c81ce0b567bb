# One step of Adam with bias corrections for step 10.
param N;
tensor f16 W(N), G(N);
tensor f32 A(N), B(N);
out m(i) = 0.9 * A(i) + 0.1 * f32(G(i));
out v(i) = 0.999 * B(i) + 0.001 * f32(G(i)) * f32(G(i));
out Y(i) = f16(f32(W(i)) - 0.001
	* (m(i) / 0.6513215599) / (sqrt(v(i) / 0.00995511979) + 1e-8));
