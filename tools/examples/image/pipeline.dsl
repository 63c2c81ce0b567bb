# Unsharp masking: blur, find what the blur has taken away, and add more of it.
param H, W;
tensor f32 x(H,W), amount;
tensor f32 g(5);
blur_x(i,j) for 0 <= i < H, 2 <= j < W-2 = sum(k for 0 <= k < 5: g(k) * x(i,j+k-2));
blur(i,j) for 2 <= i < H-2, 2 <= j < W-2 = sum(k for 0 <= k < 5: g(k) * blur_x(i+k-2,j));
sharp(i,j) for 2 <= i < H-2, 2 <= j < W-2 = x(i,j) + amount() * (x(i,j) - blur(i,j));
out y(i,j) for 0 <= i < H, 0 <= j < W = case {
	2 <= i and i < H-2 and 2 <= j and j < W-2: min(max(sharp(i,j), 0), 1);
	else: x(i,j);
};

# test: H=9 W=12
# test: H=5 W=6
# input: x = [[0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]
# input: g = [0, 0.25, 0.5, 0.25, 0]
# output: y = [[0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]]
