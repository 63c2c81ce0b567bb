# --fp=reassoc
# A product that begins with 0, and of whose other factors some leave the range of their type.
f(i) for 0 <= i < 512 = case { i == 0: 0.0; else: 10.5 + f32(i); };
out y(k) for 0 <= k < 8 = prod(i for 0 <= i < 512: f(i));
out z() = sum(i for 0 <= i < 512: f(i));
