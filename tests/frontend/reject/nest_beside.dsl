// A nest has an order, definitions have none.
param N; tensor f32 x(N);
y(i) = 2*x(i); /* nest f( */ # nest f(
nest /* ! */ scan(param N, f32 y[N]) { // ERROR[E123] 1: a nest stands in a file without definitions
	for (int i = 1; i < N; i++) y[i] += y[i-1];
}
scan(y);
