#define A(x) x x x x x x x x x x
#define B(x) A(A(A(x)))
void f(int n, double a[n])
{
	for (int i = 0; i < n; i++) {
		B(a[i] = 1;)
		B(a[i] = 2;)
		a[i] = 3; // ERROR[E155] 3: more than 2000
	}
}
