int n;
double a[100];
for (int i = 0; i < n; i++) { // ERROR[E159] 1: put it into one, or between #pragma scop
	a[i] = 1;
}
