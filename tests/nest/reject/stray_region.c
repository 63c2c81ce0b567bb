double a[100], b[100];
#pragma scop
for (int i = 0; i < n; i++) // ERROR[E251] 21: 'n' is not declared
	a[i] = b[i];
#pragma endscop
