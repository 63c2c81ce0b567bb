struct plain { char c; int k; };
#pragma pack(push, 1)
struct first { char c; int k; };
#pragma pack(pop)
struct between { char c; int k; };
#pragma pack(2)
struct second { char c; int k; };
#pragma pack()
struct last { char c; int k; };

void f(int n, int a[n], struct plain p[n], struct first q[n],
	struct between r[n], struct second s[n], struct last t[n])
{
	for (int i = 0; i < n; i++) {
		a[i] = p[i].k + r[i].k + t[i].k;
		a[i] = q[i].k; // ERROR[E253] 10: whose layout a pragma changes
		a[i] = s[i].k; // ERROR[E253] 10: whose layout a pragma changes
	}
}
