enum { LARGE = 1L << 31 };
void f(int n, double a[n], long b[n])
{
	for (int i = 0; i < n; i++) {
		b[i] = 99999999999999999999999; // ERROR[E158] 10: larger than 18446744073709551615, the largest unsigned long
		b[i] = 1 - 9223372036854775808; // ERROR[E158] 14: with the suffix U it is unsigned
		b[i] = 08; // ERROR[E103] 10: '08' is not a number
		b[i] = 0b; // ERROR[E103] 10: '0b' is not a number
		b[i] = 1lul; // ERROR[E103] 10: '1lul' is not a number
		a[i] = 1e309; // ERROR[E158] 10: larger than every double
		a[i] = 1e39f; // ERROR[E158] 10: larger than every float
		a[i] = 1e-400; // ERROR[E158] 10: 0 is the nearest double
		a[i] = 1e-50f; // ERROR[E158] 10: 0 is the nearest float
		a[i] = 0x1.8; // ERROR[E158] 10: needs an exponent
		b[i] = LARGE; // ERROR[E253] 10: 'LARGE' cannot be used: it is a constant that no int holds
	}
}
