# Check that a function that grows is computed of each term where a cell may have none, and
# that each term is divided by what is not the same for all of them, or may be negative.
# RUN: %cetane build %s -DA=600 -DB=1000 --emit=llvm -o - | FileCheck %s
# RUN: %cetane run %s -DA=40 -DB=300 --device=host --sanitize=all
# CHECK: call float @cetane.tanh
# CHECK: call float @cetane.tanh
param A, B;
tensor f32 x(A,B);
m(i) for 0 <= i < A = max(j for 0 <= j < B and j < 3*i: tanh(x(i,j)));
out M(i) for 0 <= i < A = max(m(i), -3.0);
out Y(i,j) for 0 <= i < A, 0 <= j < B = x(i,j) - m(i);
s(i) += x(i,j) / (2.0 + abs(x(i,j)));
out S(i) = s(i);
out Q(i) = max(j: (x(i,j) - 3.0) / s(i));
out N(i) = max(j: exp(x(i,j) / -2.0));
