struct p { double x, wide[2]; struct { int k; } in; };
struct r { double x, y; };
struct s { double x, y; };
static struct r made(double x)
{
	struct r r = { x, x };
	return r;
}
void f(int n, double a[n], double b[n], struct r r[n], struct r *p,
	struct r by)
{
	struct p t[2], one;
	struct s s;

	for (int i = 0; i < n; i++) {
		a[i].x = 1; // ERROR[E150] 7: no structure
		a[i] = b[i]->x; // ERROR[E150] 14: no structure
		a[i] = r[i].z; // ERROR[E169] 15: struct r has no member 'z'
		a[i] = one.wode[0]; // ERROR[E169] 14: no member 'wode'; did you mean wide
		a[i] = r.x; // ERROR[E150] 11: a pointer: '->' takes
		a[i] = by->x; // ERROR[E150] 12: a structure: '.' takes
		a[i] = p.x; // ERROR[E150] 11: a pointer
		a[i] = t[0].in.k.z; // ERROR[E150] 19: no structure
		a[i] = r[i]; // ERROR[E168] 10: struct r as a whole is no number
		a[i] = 1 + *p; // ERROR[E168] 14: struct r as a whole
		r[i] += by; // ERROR[E168] 3: struct r as a whole
		r[i] = 1; // ERROR[E170] 10: this should be a value of struct r
		r[i] = s; // ERROR[E170] 10: this should be a value of struct r
		r[i] = a[i]; // ERROR[E170] 10: this should be a value of struct r
		r[i] = (struct s){ 1, 2 }; // ERROR[E170] 10: a value of struct r
		a[i] = made(b[i]); // ERROR[E143] 10: a value cannot be a structure
		a[i] = one.wide; // ERROR[E256] 14: 'wide' has 1 dim
		a[i] = r[0].x[2]; // ERROR[E256] 15: 'x' has 0 dim
		a[i] = (double)r[i]; // ERROR[E168] 18: struct r as a whole
		a[i] = (struct r)b[i]; // ERROR[E143] 11: a value cannot be a structure here
		a[i] = sizeof(struct p); // ERROR[E143] 17: a structure of several types here
		struct r q = { 1, 2, 3 }; // ERROR[E149] 24: 'q'
		struct r u = { .y = 1, 2 }; // ERROR[E149] 26: 'u'
		const struct r c = { 1 };
		c.x = 2; // ERROR[E257] 3: 'c.x' is const
		r = p; // ERROR[E253] 3: 'r' cannot be used: it is a pointer that changes
	}
}
