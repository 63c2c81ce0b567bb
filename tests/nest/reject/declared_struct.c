union u { int k; float f; };
struct list { double x; struct list *next; };
struct bits { int a : 3, b; };
struct rows { int n; double *row; };
struct packed { char c; int k; } __attribute__((packed));
typedef struct { double x, y, z; } wide __attribute__((aligned(32)));
struct with { int n; union u u; };
struct inner { struct list first; };
struct far;
struct flexible { int n; double x[]; };
struct none { struct tagged { int k; }; int n; };
void f(int n, double a[n], union u s, struct list *l, struct bits b[n],
	struct rows r, struct packed p[n], wide w[n], struct with v,
	struct inner i2[n], struct far *far, struct flexible *fl,
	struct none none)
{
	for (int i = 0; i < n; i++) {
		a[i] = s.f; // ERROR[E253] 10: 's' cannot be used: it is a union
		a[i] = l[i].x; // ERROR[E253] 10: 'next' is a pointer
		a[i] = b[i].a; // ERROR[E253] 10: 'a' is a bit field
		a[i] = r.n; // ERROR[E253] 10: 'row' is a pointer
		a[i] = p[i].c; // ERROR[E253] 10: whose layout an attribute changes
		a[i] = w[i].x; // ERROR[E253] 10: whose layout an attribute changes
		a[i] = v.n; // ERROR[E253] 10: 'u' is a union
		a[i] = i2[i].first.x; // ERROR[E253] 10: 'first' is of a structure whose member 'next' is a pointer
		a[i] = far->x; // ERROR[E253] 10: that the file does not define
		a[i] = fl->n; // ERROR[E253] 10: 'x' is an array without a constant extent
		a[i] = none.k; // ERROR[E169] 15: has no member 'k'
	}
}
