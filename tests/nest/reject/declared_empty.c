struct empty { };
struct blank { int n : 8, : 0; };
struct torn { double x, [3]; int n; };
void f(int n, double a[n], struct empty e, struct blank blank, struct torn torn)
{
	for (int i = 0; i < n; i++) {
		a[i] = blank.n; // ERROR[E253] 10: 'n' is a bit field
		a[i] = torn.n; // ERROR[E253] 10: that has more than numbers
		a[i] = e.x; // ERROR[E253] 10: without members
	}
}
