// Check that windows of two by two are products: isl's scheduler puts the loops of
// the sum into one, 2 p + q, of which nothing that looks for products knows.
// RUN: %cetane build %s --stop-after=schedule --emit=poly -o - | FileCheck %s
// RUN: %cetane build %s --emit=poly -o - | FileCheck %s --check-prefix=TILES
// CHECK: {{^}}schedule
// CHECK: band permutable coincident 1 1 1 1
// CHECK: filter "{ Y_add
// CHECK-NEXT: band coincident 0 "{ Y_add[b, k, x, y, c, p, q] -> [(c)] }"
// CHECK-NEXT: band coincident 0 "{ Y_add[b, k, x, y, c, p, q] -> [(p)] }"
// CHECK-NEXT: band coincident 0 "{ Y_add[b, k, x, y, c, p, q] -> [(q)] }"
// TILES: {{^}}kernel {{.*}} tiled
param B, C, K, H, W;
tensor f32 X(B,C,H,W), F(K,C,2,2);
out Y(b,k,x,y) for 0 <= x < H-1, 0 <= y < W-1 =
	sum(c, p, q: X(b,c,x+p,y+q) * F(k,c,p,q));
