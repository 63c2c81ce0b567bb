void f(int n, double a[n], int b[n])
{
	for (int i = 0; i < n; i++) {
		switch (i) case 0: a[i] = 1; // ERROR[E144] 3: 'switch'
		switch (i) {
		case 1:
			a[i] = 1;
		case 2: case 1: // ERROR[E167] 16: each stands once
			a[i] = 2;
		}
		switch (b[i]) { case 0: a[i] = 1; case 'a': default: default: ; } // ERROR[E167] 56: each
		switch (a[i]) { } // ERROR[E255] 11: needs an integer
		switch (b[i]) { case 1.5: ; } // ERROR[E167] 24: constant integer
		switch (b[i]) { case i: ; } // ERROR[E167] 24: constant integer
		switch (b[i]) { int k = 3; case 2: a[i] = k; } // ERROR[E144] 19: 'int'
		switch (b[i]) {
		case 3: if (a[i] > 0) { case 4: a[i] = 2; } // ERROR[E144] 27: 'case'
		}
		case 5: a[i] = 3; // ERROR[E144] 3: 'case'
		switch (b[i] + 1)
		{
		case 0:
			a[i] = 1;
			goto next; // ERROR[E166] 4: there is no such label
		}
	}
}
