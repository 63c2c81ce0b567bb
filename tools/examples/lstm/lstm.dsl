# An LSTM over S steps: gates from the input and from the state before, then the state.
param S, B, F;
tensor f32 X(S,B,F), Wx(4,F,F), Wh(4,F,F), bias(4,F), h0(B,F), c0(B,F);
g(s,q,b,f) for 0 <= s < S, 0 <= q < 4 = bias(q,f)
	+ sum(j: Wx(q,f,j) * X(s,b,j) + Wh(q,f,j) * h(s-1,b,j));
c(s,b,f) for -1 <= s < S = case {
	s == -1: c0(b,f);
	else: sigmoid(g(s,1,b,f)) * c(s-1,b,f) + sigmoid(g(s,0,b,f)) * tanh(g(s,2,b,f));
};
out h(s,b,f) for -1 <= s < S = case {
	s == -1: h0(b,f);
	else: sigmoid(g(s,3,b,f)) * tanh(c(s,b,f));
};

# test: S=3 B=2 F=4
# test: S=0 B=1 F=2
# input: h0 = [[1, 2]]
# output: h = [[[1, 2]]]
