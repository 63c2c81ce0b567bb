void f(int n, _Complex double z, __int128 k, __float128 w, double a[n])
{
	for (int i = 0; i < n; i++) {
		a[i] = z; // ERROR[E253] 10: 'z' cannot be used: it is a complex number
		a[i] = k; // ERROR[E253] 10: it is an integer of 128 bits
		a[i] = w; // ERROR[E253] 10: it is a float of more than 64 bits
		a[i] = 1e5f16; // ERROR[E158] 10: larger than every _Float16
	}
}
