int f(int n, double a[n], double b[n])
{
	int i, k = n;
	unsigned u;
	for (i = n; i-- > 0 && i != 7;) // ERROR[E146] 14: changed inside
		a[i] = 1;
	for (i = n; n > 3 && i-- > 0;) // ERROR[E146] 24: changed inside
		a[i] = 1;
	for (i = 0; k-- > 0; i++) // ERROR[E145] 14: begins without
		a[i] = 1;
	for (u = n; u-- > 0;)
		u = 3; // ERROR[E147] 3: only variables
	for (i = n; i-- > 0; i--) // ERROR[E146] 14: changed inside
		a[i] = 1;
	return i;
}
