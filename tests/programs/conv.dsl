# Convolutions: one and two dimensions, channels and batches, stride,
# dilation, padding, pooling.
param N, C, K, H, W;
tensor f32 x(H), w(3), img(H,W), ker(3,3), I(N,C,H,W), F(K,C,3,3);
out full(i) for 0<=i<H+2 = sum(r for 0<=r<3, 0<=i-r<H: x(i-r) * w(r));
out valid(i) = sum(r: x(i+r) * w(r));
out strided(i) = sum(r: x(2*i+r) * w(r));
out dilated(i) = sum(r: x(i+2*r) * w(r));
out conv2(p,q) = sum(r, s: img(p+r,q+s) * ker(r,s));
out stride2(p,q) = sum(r, s: img(2*p+r,2*q+s) * ker(r,s));
out dilated2(p,q) = sum(r, s: img(p+2*r,q+2*s) * ker(r,s));
out conv4(n,k,p,q) += I(n,c,p+r,q+s) * F(k,c,r,s);
out stride4(n,k,p,q) += I(n,c,2*p+r,2*q+s) * F(k,c,r,s);
out dilated4(n,k,p,q) += I(n,c,p+2*r,q+2*s) * F(k,c,r,s);
padded(n,c,i,j) for 0<=n<N, 0<=c<C, -1<=i<=H, -1<=j<=W = case {
	0<=i<H and 0<=j<W: I(n,c,i,j); else: 0; };
out same4(n,k,p,q) for 0<=n<N, 0<=k<K, 0<=p<H, 0<=q<W += padded(n,c,p+r-1,q+s-1) * F(k,c,r,s);
out pool(n,c,p,q) = max(r, s for 0<=r<2, 0<=s<2: I(n,c,2*p+r,2*q+s));
