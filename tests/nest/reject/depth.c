void f(int n, double a[n])
{
	for (int i0 = 0; i0 < n; i0++)
	for (int i1 = 0; i1 < n; i1++)
	for (int i2 = 0; i2 < n; i2++)
	for (int i3 = 0; i3 < n; i3++)
	for (int i4 = 0; i4 < n; i4++)
	for (int i5 = 0; i5 < n; i5++)
	for (int i6 = 0; i6 < n; i6++)
	for (int i7 = 0; i7 < n; i7++)
	for (int i8 = 0; i8 < n; i8++)
	for (int i9 = 0; i9 < n; i9++)
	for (int i10 = 0; i10 < n; i10++)
	for (int i11 = 0; i11 < n; i11++)
	for (int i12 = 0; i12 < n; i12++)
	for (int i13 = 0; i13 < n; i13++)
	for (int i14 = 0; i14 < n; i14++)
	for (int i15 = 0; i15 < n; i15++)
	for (int i16 = 0; i16 < n; i16++) // ERROR[E269] 2: more than 16 loops
		a[0] += 1;
}
