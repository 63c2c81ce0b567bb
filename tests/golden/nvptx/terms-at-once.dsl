# Check that what grows is computed of the greatest term alone, but for --fp=strict.
# RUN: %cetane build %s -DA=600 -DB=1000 --emit=llvm -o - | FileCheck %s
# RUN: %cetane build %s -DA=600 -DB=1000 --fp=strict --emit=llvm -o - | FileCheck --check-prefix=STRICT %s
# RUN: %cetane run %s -DA=40 -DB=700 --device=host --sanitize=all
# RUN: %cetane run %s -DA=1 -DB=65 --device=host --sanitize=all
# CHECK: define {{.*}}_Q(
# CHECK-COUNT-1: call float @cetane.tanh
# CHECK-NOT: call float @cetane.tanh
# CHECK: call float @cetane.exp
# CHECK-NOT: call float @cetane.exp
# CHECK-COUNT-1: fdiv float
# CHECK-NOT: fdiv float
# CHECK: {{^}}}
# STRICT: call float @cetane.tanh
# STRICT: call float @cetane.tanh
param A, B;
tensor f32 x(A,B);
out M(i) = max(j: tanh(x(i,j)));
out F(i) = max(j: exp(-abs(x(i,j))));
out R(i) = max(j: sqrt(abs(x(i,j))));
out Q(i) = min(j: 2.5 - sigmoid(x(i,j) / 2.0 - 1.0));
