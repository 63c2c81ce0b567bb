#define A(x) (((((((((((((((((((((((((x)))))))))))))))))))))))))
#define B(x) A(A(A(A(A(A(A(A(x))))))))
void f(int n, double a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = B(a[i]); // ERROR[E142] 11: brackets
}
