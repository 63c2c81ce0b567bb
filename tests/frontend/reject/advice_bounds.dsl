param H, W;
tensor f32 X(H,W);
a(i,j) for 0 <= i < 9 = sum(k for 0 <= k < 5, l for 0 <= l < 5: X(i+k,j+l)); // ERROR[E107] 49: expected ':', found 'for'; bounds stand in front of '=', as in y(i) for 0 <= i < N = .., and those of all indices of a reduction behind the last one
b(i,j) = X(i,j) for i < 4; // ERROR[E107] 17: bounds stand in front
c(i,j) for i in 1..4 = X(i,j); // ERROR[E107] 14: a range is written as in y(i) for 0 <= i < N = .. // ERROR[E103] 17: '1..4' is not a number; a range is written as in 0 <= i < 5
d(i,j) = X(i,j) if i > 0 else 0; // ERROR[E107] 17: a choice is c ? a : b
e(i,j) = if (i == 0) 0 else X(i,j); // ERROR[E107] 22: expected an operator
f(i,j) = X(i,j) as f16; // ERROR[E107] 17: as in f16(x)
out f32 g(i,j) = X(i,j); // ERROR[E107] 9: has the type of its value
out h; // ERROR[E107] 6: an output is a definition with out in front of it
let m(i,j) = X(i,j); // ERROR[E107] 5: a definition is a name
q(i) = mean(j: X(i,j)); // ERROR[E112] 8: is not a function
