param N; tensor f32 x(N);
s = sum(i: x(i)); // ERROR[E107] 9: expected a matrix (a sum over an index is for definitions of index notation: s() = .. or out s = ..), found 'i'
t = 2 * max(j: x(j)); // ERROR[E107] 13: expected a matrix
out u; // ERROR[E107] 6: expected '(', found ';'
