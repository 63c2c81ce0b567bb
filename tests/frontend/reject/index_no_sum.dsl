param N, M;
tensor f32 A(N,M), x(N), jj(M);
out y(i) = x(i) * A(i,k); // ERROR[E201] 23: 'k' is not defined; a sum over an index that is not on the left is written with += or sum(..)
out z(i) = x(i) * A(i,2*l+1); // ERROR[E201] 25: 'l' is not defined; a sum over an index that is not on the left is written with += or sum(..)
out v(i) = x(i) * kk; // ERROR[E201] 19: 'kk' is not defined
out w(i) = x(i) * jj(baz(i)); // ERROR[E201] 22: 'baz' is not defined
out u(i) = x(i) * jj(jjj); // ERROR[E201] 22: 'jjj' is not defined; did you mean jj
