# Contractions of batched and strided tensors, up to rank 6.
param A, B, C;
tensor f32 X(A,B,C), Y(C,B,A), Z(A,B,C,A,B,C);
out bmm(a,i,j) += X(a,i,k) * Y(k,j,a);
out t4(a,b,x,y) += X(a,k,x) * Y(x,k,b) * X(b,k,y);
out outer6(a,b,c,d,e,f) = X(a,b,c) * Y(d,e,f);
out trace6() += Z(a,b,c,a,b,c);
out partial(a,f) += Z(a,b,c,d,b,f) * X(d,b,c);
out permuted(f,e,d,c,b,a) = Z(a,b,c,d,e,f);
out every2(a,c) = sum(b for 0<=2*b<B: X(a,2*b,c));
