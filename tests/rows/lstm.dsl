# An LSTM over layers and time.
param L, S, B, F;
tensor f16 X(S,B,F), Wx(L,4,F,F), Wh(L,4,F,F), bias(L,4,F);
g(l,s,q,b,f) = bias(l,q,f)
	+ sum(j: Wx(l,q,f,j)*h(l-1,s,b,j) + Wh(l,q,f,j)*h(l,s-1,b,j));
c(l,s,b,f) for 0<=l<L, -1<=s<S = case { s == -1: 0;
	else: sigmoid(g(l,s,1,b,f))*c(l,s-1,b,f)
		+ sigmoid(g(l,s,0,b,f))*tanh(g(l,s,2,b,f)); };
h(l,s,b,f) for -1<=l<L, -1<=s<S = case { s == -1: 0; s >= 0 and l == -1: X(s,b,f);
	else: sigmoid(g(l,s,3,b,f))*tanh(c(l,s,b,f)); };
out Y(s,b,f) for 0<=s<S = h(L-1,s,b,f);
