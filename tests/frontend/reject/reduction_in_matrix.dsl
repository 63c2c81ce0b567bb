param N; tensor f32 x(N);
s = sum(i: x(i)); // ERROR[E131] 5: sum over an index stands in a definition of index notation
t = 2 * max(j: x(j)); // ERROR[E131] 9: max over an index
out u; // ERROR[E107] 6: expected '(', found ';'
