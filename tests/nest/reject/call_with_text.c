int printf(const char *, ...);
void f(int n, double a[n], double b[n])
{
	for (int i = 0; i < n; i++) {
		a[i] = b[i];
		printf("%d\n", i); // ERROR[E254] 3: 'printf' is not known
	}
}
