void f(int n, int m, const int k[n], const float x[m], float y[n])
{
#pragma cetane assume 0 <= k // ERROR[E297] 16: it is not as in
#pragma cetane assume 0 <= k > m // ERROR[E297] 16: it is not as in
#pragma cetane assume 0 <= x < m // ERROR[E297] 16: no array of integers that comes from outside is called so
#pragma cetane assume 0 <= k < z // ERROR[E297] 16: both ends are expressions of sizes that the function has
#pragma cetane assume m > k >= 0
#pragma cetane assume 0 <= k < m // ERROR[E297] 16: this has been said of it already
	for (int i = 0; i < n; i++)
		y[i] = x[k[i]];
}
