// Check that a transposed convolution is one kernel in tiles, with what is computed of
// its cells, whichever way its windows are written: as differences, as an equation, or
// by remainders; and that the axes of tiles are channels and cells, classes the batch.
// RUN: %cetane build %s --stop-after=promote_registers --emit=poly -o - | FileCheck %s
// CHECK-DAG: stmt Y_def
// CHECK-DAG: stmt Z_store
// CHECK-DAG: stmt T_store
// CHECK: {{^}}kernel {{.*}} tiled {{.*}} batch "[B] -> { [(B)] }" "{ [(2)] }"
// CHECK-NEXT: {{^}}kernel {{.*}} tiled {{.*}} batch "[B] -> { [(B)] }" "{ [(2)] }"
// CHECK-NEXT: {{^}}kernel {{.*}} tiled {{.*}} batch "[B] -> { [(B)] }" "{ [(2)] }"
// CHECK-NOT: {{^}}kernel
param B, C, K, H, W;
tensor f32 X(B,C,H,W), F(C,K,4,4), a(K);
y(b,k,u,v) for 0 <= u < 2*H+2, 0 <= v < 2*W+2 =
	sum(c, i, j for 0 <= i < H, 0 <= j < W, 0 <= u-2*i < 4, 0 <= v-2*j < 4:
		X(b,c,i,j) * F(c,k,u-2*i,v-2*j));
out Y(b,k,u,v) = ReLU(y(b,k,u,v) + a(k));
out Z(b,k,u,v) for 0 <= u < 2*H, 0 <= v < 2*W =
	sum(c, i, j, r, s for 0 <= i < H, 0 <= j < W, 0 <= r < 4, 0 <= s < 4,
		2*i+r-1 == u, 2*j+s-1 == v: X(b,c,i,j) * F(c,k,r,s));
out T(b,k,u,v) for 0 <= u < 2*H, 0 <= v < 2*W =
	sum(c, r, s for 0 <= r < 4, 0 <= s < 4, (u+1-r)%2 == 0, (v+1-s)%2 == 0,
		0 <= (u+1-r)/2 < H, 0 <= (v+1-s)/2 < W:
		X(b,c,(u+1-r)/2,(v+1-s)/2) * F(c,k,r,s));
