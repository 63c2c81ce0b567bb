# A GRU over layers and time.
param L, S, B, F;
tensor f32 X(S,B,F), W(L,3,F,F), U(L,3,F,F);
a(l,s,q,b,f) = sum(j: W(l,q,f,j) * h(l-1,s,b,j));
r(l,s,b,f) = sigmoid(a(l,s,0,b,f) + sum(j: U(l,0,f,j) * h(l,s-1,b,j)));
z(l,s,b,f) = sigmoid(a(l,s,1,b,f) + sum(j: U(l,1,f,j) * h(l,s-1,b,j)));
n(l,s,b,f) = tanh(a(l,s,2,b,f) + sum(j: U(l,2,f,j) * r(l,s,b,j) * h(l,s-1,b,j)));
h(l,s,b,f) for -1<=l<L, -1<=s<S = case { s == -1: 0; s >= 0 and l == -1: X(s,b,f);
	else: (1 - z(l,s,b,f)) * n(l,s,b,f) + z(l,s,b,f) * h(l,s-1,b,f); };
out Y(s,b,f) for 0<=s<S = h(L-1,s,b,f);
