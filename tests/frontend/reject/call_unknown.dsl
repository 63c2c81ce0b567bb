param N; tensor f32 x(N);
y(i) = 2*x(i); /* nest f( */ # nest f(
nest /* ! */ scan(param N, f32 y[N]) {
	for (int i = 1; i < N; i++) y[i] += y[i-1];
}
scam(y); // ERROR[E123] 1: there is no nest 'scam'
scan(y, ); // ERROR[E107] 9: expected an expression, found ')'
scan y; // ERROR[E107] 6: expected '=', found 'y'
