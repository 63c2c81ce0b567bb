// Check that sums over what lies between two values are loops whose bounds these are: in
// their own type, within the elements that there are, with what else has to hold inside.
// RUN: %cetane build %s --emit=poly --stop-after=cut -o - | FileCheck %s
// CHECK:      stmt y_add point {{.*}} y_add[i] :
// CHECK:      reduce add
// CHECK-NEXT: (loop 0 1 (select (lt (const i64 0) (cast i64 (read row {{.*}} row[(i)]
// CHECK-SAME: (select (lt (index i64 "[Z] -> { y_add[i] -> [(Z)] }") (cast i64 (read row
// CHECK-SAME: row[(1 + i)]
// CHECK-SAME: (add (carry f32 0) (mul (gather val (step i64 0)) (gather x
// CHECK:      stmt C_add point {{.*}} C_add[i, k] :
// CHECK:      (gather B (add (select {{.*}} (index i64 "{ C_add[i, k] -> [(k)] }"))
// CHECK:      stmt T_add point {{.*}} T_add[i] :
// CHECK:      (select (lt (const i64 0) (add (cast i64 (read row {{.*}} row[(i)] }")) (const i64 1)))
// CHECK-SAME: (select (lt (const f32 0) (gather val (step i64 0))) (add (gather w (mul (step i64 0) (const i64 2)))
// A sum whose bounds move with it, or that has one bound alone, stays.
// CHECK:      stmt U_add point {{.*}} U_add[i, j] :
// CHECK:      stmt V_add point {{.*}} V_add[i, j] :
param N, M, Z, F;
tensor i32 row(N+1), col(Z);
tensor f32 val(Z), x(M), B(M,F), w(2*Z);
out y(i) = sum(j for row(i) <= j < row(i+1): val(j) * x(col(j)));
out C(i,k) = sum(j for row(i) <= j < row(i+1): val(j) * B(col(j),k));
out T(i) = sum(j for row(i) < j and j <= row(i+1) and val(j) > 0: w(2*j) + val(j));
out U(i) for 0 <= i < N = sum(j for col(j) <= j and j < row(i+1): val(j));
out V(i) for 0 <= i < N = sum(j for j < row(i+1): val(j));
