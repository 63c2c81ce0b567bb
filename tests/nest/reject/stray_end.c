double a[100];
#pragma endscop // ERROR[E148] 9: it does not begin
void f(int n) { for (int i = 0; i < n; i++) a[i] = 1; }
