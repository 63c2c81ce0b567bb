# Rotary embedding: both halves of a head's row of 2*K are turned by its position.
param B, S, H, K;
tensor f16 X(B,S,H,2*K);
tensor f32 c(S,K), s(S,K);
out Y(b,t,h,d) for 0 <= d < 2*K = case {
	d < K: f16(f32(X(b,t,h,d)) * c(t,d) - f32(X(b,t,h,d+K)) * s(t,d));
	else: f16(f32(X(b,t,h,d)) * c(t,d-K) + f32(X(b,t,h,d-K)) * s(t,d-K)); };
