param H, W;
tensor f32 X(H,W);
out o(i,j) = clamp(X(i,j), 0, 1); // ERROR[E201] 14: min(max(x, a), b)
out p(i) = mean(X(i,0)); // ERROR[E201] 12: a mean is a sum divided by f32(N)
out r(i) = softmax(X(i,0)); // ERROR[E201] 12: max, exp and sum
