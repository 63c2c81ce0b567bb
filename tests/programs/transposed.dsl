# Filters laid at every second and third point, in one to three dimensions: windows as
# differences, as equations and by remainders; classes of as many terms and of fewer.
param B, C, K, H, W;
tensor f32 x(B,C,H), f(C,K,8), X(B,C,H,W), F(C,K,4,4), G(C,K,3,3), V(C,H,W,2), P(C,K,4,4,4);
tensor f32 a(K);
out row(b,k,u) for 0 <= u < 3*H+5 = sum(c, i for 0 <= i < H, 0 <= u-3*i < 8: x(b,c,i) * f(c,k,u-3*i));
y(b,k,u,v) for 0 <= u < 2*H+2, 0 <= v < 2*W+2 =
	sum(c, i, j for 0 <= i < H, 0 <= j < W, 0 <= u-2*i < 4, 0 <= v-2*j < 4:
		X(b,c,i,j) * F(c,k,u-2*i,v-2*j));
out image(b,k,u,v) = ReLU(y(b,k,u,v) + a(k));
out equal(b,k,u,v) for 0 <= u < 2*H, 0 <= v < 2*W =
	sum(c, i, j, r, s for 0 <= i < H, 0 <= j < W, 0 <= r < 3, 0 <= s < 3, 2*i+r-1 == u, 2*j+s-1 == v:
		X(b,c,i,j) * G(c,k,r,s));
out even(b,k,u,v) for 0 <= u < 2*H, 0 <= v < 3*W =
	sum(c, r, s for 0 <= r < 4, 0 <= s < 4, (u+1-r)%2 == 0, (v-s)%3 == 0,
		0 <= (u+1-r)/2 < H, 0 <= (v-s)/3 < W: X(b,c,(u+1-r)/2,(v-s)/3) * F(c,k,r,s));
out body(k,t,u,v) for 0 <= t < 2*H, 0 <= u < 2*W, 0 <= v < 4 =
	sum(c, l, i, j for 0 <= l < H, 0 <= i < W, 0 <= j < 2, 0 <= t+1-2*l < 4, 0 <= u+1-2*i < 4, 0 <= v+1-2*j < 4:
		V(c,l,i,j) * P(c,k,t+1-2*l,u+1-2*i,v+1-2*j));
out same(b,k,u,v) for 0 <= u < H, 0 <= v < W =
	sum(c, i, j for 0 <= i < H, 0 <= j < W, 0 <= u+1-i < 3, 0 <= v+1-j < 3:
		X(b,c,i,j) * G(c,k,u+1-i,v+1-j));
