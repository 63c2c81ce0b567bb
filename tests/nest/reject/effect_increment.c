static double twice(double x) { return 2 * x; }
void f(int n, double a[n], double b[n], int d[n], const int e[n])
{
	int k = 0;
	for (int i = 0; i < n; i++) {
		a[i] = b[i]++ + b[0]; // ERROR[E165] 10: named elsewhere in the statement
		b[i] = b[i]++; // ERROR[E165] 10: named elsewhere in the statement
		a[i] = d[d[i]++]++; // ERROR[E165] 12: named elsewhere in the statement
		k = d[k]++; // ERROR[E165] 7: named elsewhere in the statement
		a[i] = e[i]++; // ERROR[E257] 10: 'e' is const
		a[i] = i > 3 && b[i]++; // ERROR[E146] 23: changed inside
		a[i] = twice(b[i]++); // ERROR[E146] 20: changed inside
		a[i] = d[0]++ + d[1]++; // ERROR[E165] 10: named elsewhere in the statement
	}
}
