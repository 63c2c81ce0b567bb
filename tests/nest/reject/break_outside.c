void f(int n, double a[n])
{
	for (int i = 0, k = 0; i < n; i++, k++) { // ERROR[E145] 37: a break leaves
		if (i == 3)
			break;
		a[k] = 1;
	}
	if (n > 3)
		break; // ERROR[E144] 3: 'break'
}
