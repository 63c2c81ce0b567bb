int f(int n, double a[n], double b[n], int c[n])
{
	int k = 0;
	for (int i = 0; i < n; i++)
		a[k] = b[k++]; // ERROR[E165] 12: named elsewhere
	for (int i = 0; i < n; i++)
		a[k++] += b[k++]; // ERROR[E165] 5: named elsewhere
	for (int i = 0; i < n; i++)
		a[i] = i > 3 ? b[k++] : 0; // ERROR[E146] 21: changed inside
	for (int i = 0; i < n; i++)
		if (b[k++] > 0)
			a[i] = 1;
	for (int i = 0; i < n; i++)
		a[c[i]++ + c[0]] = 1; // ERROR[E165] 5: named elsewhere
	for (int i = 0; i < n; i++, a[k++] = 1) // ERROR[E146] 33: changed inside
		b[i] = 1;
	for (int i = 0; i < n; i++)
		a[i] = k++;
	return k;
}
