# Softmax, layer norm, and attention with heads and a causal mask.
param S, H, D;
tensor f32 Q(H,S,D), K(H,S,D), V(H,S,D), gamma(D);
assume D >= 1;
score(h,i,j) = sum(d: Q(h,i,d) * K(h,j,d)) / sqrt(f32(D));
top(h,i) max= score(h,i,j);
e(h,i,j) = exp(score(h,i,j) - top(h,i));
total(h,i) += e(h,i,j);
out soft(h,i,j) = e(h,i,j) / total(h,i);
out att(h,i,d) += soft(h,i,j) * V(h,j,d);
ctop(h,i) = max(j for 0<=j<=i: score(h,i,j));
ce(h,i,j) for 0<=j<=i<S = exp(score(h,i,j) - ctop(h,i));
ct(h,i) = sum(j for 0<=j<=i: ce(h,i,j));
out causal(h,i,d) = sum(j for 0<=j<=i: ce(h,i,j) * V(h,j,d)) / ct(h,i);
mean(h,i) = sum(d: att(h,i,d)) / f32(D);
var(h,i) = sum(d: (att(h,i,d) - mean(h,i)) * (att(h,i,d) - mean(h,i))) / f32(D);
out norm(h,i,d) = gamma(d) * (att(h,i,d) - mean(h,i)) / sqrt(var(h,i) + 1e-2);
