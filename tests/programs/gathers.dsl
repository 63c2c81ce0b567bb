# Reads at positions that are data: of one dimension or several, of every type,
# at positions that are read at such positions, in sums, products and pieces.
param T, V, D, N;
assume D >= 2;
tensor i32 id(T);  tensor i64 wide(T);  tensor u8 narrow(N);  tensor i8 small(T,2);
tensor f32 emb(V,D), W(V,D), X(T,D), table(N), image(N,V,D), Y(N,D);
tensor f16 half(V,D);
out rows(t,d) = emb(id(t),d);
out turned(d,t) = emb(wide(t),d);
out twice(i) = table(narrow(i)) + table(narrow(narrow(i)));
out dot(t) = sum(d: W(id(t),d) * X(t,d));
out product(t,n) += W(id(t),d) * Y(n,d);
out bag(t) = max(n: f32(half(wide(t), 1)) * table(narrow(n)));
out both(t,n) = image(narrow(n), id(t), 0);
out pairs(t,i,d) for 0 <= i < 2 = half(small(t,i), d);
out some(t) = case { id(t) % 2 == 0: W(id(t), 1); t % 3 == 0: W(id(t), 0) + W(V - 1 - id(t), 0); else: 0; };
out choice(t,d) = 3 <= id(t) and id(t) < V + 3 ? emb(id(t) - 3, d) : -1.0;
out softmax(t,d) = exp(emb(id(t),d)) / sum(k: exp(emb(id(t),k)));
