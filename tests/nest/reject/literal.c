void f(int n, long a[n])
{
	for (int i = 0; i < n; i++)
		a[i] = 9007199254740993; // ERROR[E267] 10: at most 2^53
}
