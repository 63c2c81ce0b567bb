param N;
tensor f32 x(N);
out y() = sum(a,b,c,d,e,f,g,h,i,j,k1,l,m,n,o,p,q: x(a)); // ERROR[E122] 15: an expression has at most 16 indices around it
