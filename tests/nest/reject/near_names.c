enum { FACTOR = 3 };
static double scaled(double x) { return FACTOR * x; }
void f(int n, double alpha, double result[n])
{
	for (int i = 0; i < n; i++) {
		result[i] = aplha; // ERROR[E251] 15: 'aplha' is not declared; did you mean alpha
		reslut[i] = 1; // ERROR[E251] 3: did you mean result
		result[i] = FACTR; // ERROR[E251] 15: did you mean FACTOR
		result[j] = 1; // ERROR[E251] 10: 'j' is not declared
		result[i] = zzzzzz; // ERROR[E251] 15: 'zzzzzz' is not declared
		result[i] = scald(2); // ERROR[E254] 15: did you mean scaled
		result[i] = sqtr(2); // ERROR[E254] 15: did you mean sqrt
	}
}
