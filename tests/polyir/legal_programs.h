/* The programs of test_legal.c. */
#ifndef LEGAL_PROGRAMS_H
#define LEGAL_PROGRAMS_H

/* The paper's Fig. 2. */
static const char fig2[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(K,N); Matrix C(M,N);\n"
	"D = A * B; E = D + C;\n"
	"CodeGen fig2(FLOAT, {E});\n";

/* The same with elements that cannot be copied asynchronously: barriers before
 * and behind the product.
 */
static const char half[] =
	"Params M, K, N; Matrix A(M,K); Matrix B(K,N); Matrix C(M,N);\n"
	"D = A * B; E = D + C;\n"
	"CodeGen fig2(HALF, {E});\n";

/* A product whose second factor has whole rows, for copies in bulk. */
static const char whole[] =
	"Matrix A(256,256); Matrix B(256,256);\n"
	"D = A * B;\n"
	"CodeGen whole(FLOAT, {D});\n";

/* Sums of what lies between two values, which are loops in a statement's value. */
static const char spans[] =
	"param N, M;\n"
	"tensor i32 P(N+1); tensor f32 V(M);\n"
	"out y(i) = sum(s for P(i) <= s < P(i+1): V(s));\n";

/* A point-wise statement in a kernel before that of the product. */
static const char chain[] =
	"Params M, K, N;\n"
	"Matrix A(M,K); Matrix B(M,K); Matrix C(K,N);\n"
	"E = A + B; G = E * C;\n"
	"CodeGen chain(FLOAT, {G});\n";

/* A product whose result stays in its block for another one. */
static const char products[] =
	"Params M, K, H, N; Matrix X(M,K); Matrix V(K,H); Matrix W(H,N);\n"
	"T = relu(X * V); Z = T * W;\n"
	"CodeGen z(FLOAT, {Z});\n";

/* Two statements of one kernel, both results in memory, a thread a point. */
static const char sums[] =
	"Params N;\n"
	"Matrix A(N,N); Matrix B(N,N); Matrix C(N,N);\n"
	"T = A + B; U = T + C;\n"
	"CodeGen sums(FLOAT, {T, U});\n";

/* The same within one block. */
static const char small_sums[] =
	"Matrix A(8,8); Matrix B(8,8); Matrix C(8,8);\n"
	"T = A + B; U = T + C;\n"
	"CodeGen sums(FLOAT, {T, U});\n";

/* Two statements behind a product, both results in memory, and with T in
 * registers.
 */
#define BEHIND \
	"Params N;\n" \
	"Matrix A(N,N); Matrix B(N,N); Matrix C(N,N);\n" \
	"T = A * B + C; U = T + C;\n"
static const char group[] = BEHIND "CodeGen group(FLOAT, {T, U});\n";
static const char hidden[] = BEHIND "CodeGen hidden(FLOAT, {U});\n";

/* The sum of the rows of A, with the summation along b1 and t1; mapped. */
static const char split[] =
	"cetane-poly 1\n"
	"program \"split\" file \"split.dsl\"\n"
	"param N\n"
	"context \"[N] -> {  : N >= 0 }\"\n"
	"array A f32 input global \"[N] -> { A[(N), (N)] }\"\n"
	"array s f32 output global \"[N] -> { s[(N), (1)] }\"\n"
	"stmt Z point \"[N] -> { Z[i, j] : 0 <= i < N and j = 0 }\"\n"
	"  write s \"{ Z[i, j] -> s[(i), (j)] }\"\n"
	"  value (const f32 0)\n"
	"stmt S point \"[N] -> { S[i, k] : 0 <= i < N and 0 <= k < N }\"\n"
	"  write s \"{ S[i, k] -> s[(i), (0)] }\" reduce add\n"
	"  value (read A \"{ S[i, k] -> A[(i), (k)] }\")\n"
	"kernel kz naive thread 8 32 tile 8 32 0 grid "
		"\"[N] -> { [(1 + floor((-1 + N)/8))] }\" \"{ [(1)] }\"\n"
	"kernel ks naive thread 8 32 tile 8 32 0 grid "
		"\"[N] -> { [(1 + floor((-1 + N)/8))] }\" "
		"\"[N] -> { [(1 + floor((-1 + N)/32))] }\"\n"
	"deps\n"
	"  flow \"[N] -> { Z[i, j] -> S[i' = i, k] : 0 <= i < N and j = 0 "
		"and 0 <= k < N }\"\n"
	"  reduction \"[N] -> { S[i, k] -> S[i' = i, k'] : 0 <= i < N and "
		"0 <= k < N and k < k' < N }\"\n"
	"have deps schedule kernels mapping\n"
	"schedule\n"
	"  domain\n"
	"      \"[N] -> { Z[i, j] : 0 <= i < N and j = 0 }\"\n"
	"      \"[N] -> { S[i, k] : 0 <= i < N and 0 <= k < N }\"\n"
	"    sequence\n"
	"      filter \"{ Z[i, j] }\"\n"
	"        mark kernel:kz\n"
	"          filter \"[b0, b1, t0, t1] -> { Z[i, j] : "
		"i = 8b0 + t0 and j = 32b1 + t1 and "
		"0 <= t0 <= 7 and 0 <= t1 <= 31 }\"\n"
	"            band permutable coincident 1 1 "
		"\"{ Z[i, j] -> [(i), (j)] }\"\n"
	"      filter \"{ S[i, k] }\"\n"
	"        mark kernel:ks\n"
	"          filter \"[b0, b1, t0, t1] -> { S[i, k] : "
		"i = 8b0 + t0 and k = 32b1 + t1 and "
		"0 <= t0 <= 7 and 0 <= t1 <= 31 }\"\n"
	"            band permutable coincident 1 1 "
		"\"{ S[i, k] -> [(i), (k)] }\"\n";

/* The wave front of an LSTM: steps on a diagonal are launched at one time. */
static const char waves[] =
	"cetane-poly 1\n"
	"program \"lstm\" file \"lstm.c\"\n"
	"param m\n"
	"param n\n"
	"param b\n"
	"context \"[m, n, b] -> {  : m >= 0 and n >= 0 and b >= 0 }\"\n"
	"fp strict\n"
	"array h f32 inout global \"[m, n, b] -> { h[(1 + m), (1 + n),"
		" (b)] }\"\n"
	"array w f32 input global \"[m] -> { w[(1 + m)] }\"\n"
	"stmt S1 point \"[m, n, b] -> { S1[l, s, i] : 0 < l <= m and 0"
		" < s <= n and 0 <= i < b }\"\n"
	"  write h \"{ S1[l, s, i] -> h[(l), (s), (i)] }\"\n"
	"  value (add (mul (read w \"{ S1[l, s, i] -> w[(l)] }\") (read"
		" h \"{ S1[l, s, i] -> h[(-1 + l), (s), (i)] }\")) (read h \"{"
		" S1[l, s, i] -> h[(l), (-1 + s), (i)] }\"))\n"
	"kernel lstm_h naive thread 1 32 tile 1 32 0 given grid \"{"
		" [(1)] }\" \"[b] -> { [(1 + floor((-1 + b)/32))] }\"\n"
	"deps\n"
	"  flow \"[m, n, b] -> { S1[l, s, i] -> S1[l', s' = 1 + l + s -"
		" l', i' = i] : l > 0 and s > 0 and 0 <= i < b and l' >= l and"
		" -n + l + s < l' <= 1 + l and l' <= m }\"\n"
	"have deps schedule kernels mapping\n"
	"schedule\n"
	"  domain \"[m, n, b] -> { S1[l, s, i] : 0 < l <= m and 0 < s"
		" <= n and 0 <= i < b }\"\n"
	"    band permutable coincident 0 \"{ S1[l, s, i] -> [(l + s)]"
		" }\"\n"
	"      mark concurrent\n"
	"        band permutable coincident 1 \"{ S1[l, s, i] -> [(l)]"
		" }\"\n"
	"          mark kernel:lstm_h\n"
	"            filter \"[m, n, b, h0, h1, b0, b1, t0, t1] -> {"
		" S1[l = h1, s = h0 - h1, i = 32b1 + t1] : b0 = 0 and t0 = 0"
		" and h1 > 0 and -n + h0 <= h1 < h0 and h1 <= m and t1 >= 0 and"
		" -32b1 <= t1 <= 31 and t1 < b - 32b1 }\"\n"
	"              band permutable coincident 1 1 \"[m, n, b] -> {"
		" S1[l, s, i] -> [(0), ((i) : 0 < l <= m and 0 < s <= n and 0"
		" <= i < b)] }\"\n";

/* Sums of columns, eight of them in a launch; all launches at one time. */
static const char shares[] =
	"cetane-poly 1\n"
	"program \"shares\" file \"shares.c\"\n"
	"param n\n"
	"context \"[n] -> {  : n >= 0 }\"\n"
	"array s f32 inout global \"[n] -> { s[(n)] }\"\n"
	"array a f32 input global \"[n] -> { a[(n), (n)] }\"\n"
	"stmt S1 point \"[n] -> { S1[i, k] : 0 <= i < n and 0 <= k < n"
		" }\"\n"
	"  write s \"{ S1[i, k] -> s[(i)] }\" reduce add\n"
	"  value (read a \"{ S1[i, k] -> a[(k), (i)] }\")\n"
	"kernel shares_s naive thread 1 8 tile 1 8 0 given grid \"{"
		" [(1)] }\" \"[n, h0] -> { [(1)] : 8h0 <= -8 + n; [(1)] : 8h0"
		" >= -7 + n }\"\n"
	"deps\n"
	"  reduction \"[n] -> { S1[i, k] -> S1[i' = i, k'] : 0 <= i < n"
		" and k >= 0 and k < k' < n }\"\n"
	"have deps schedule kernels mapping\n"
	"schedule\n"
	"  domain \"[n] -> { S1[i, k] : 0 <= i < n and 0 <= k < n }\"\n"
	"    mark concurrent\n"
	"      band permutable coincident 1 \"{ S1[i, k] ->"
		" [(floor((i)/8))] }\"\n"
	"        mark kernel:shares_s\n"
	"          filter \"[n, h0, b0, b1, t0, t1] -> { S1[i, k] : b0"
		" = 0 and t0 = 0 and (-t1 + i) mod 8 = 0 and t1 >= 0 and -8b1"
		" <= t1 <= 7 - 8b1 and t1 <= 7 and i >= 8h0 and 0 <= i <= 7 +"
		" 8h0 and i < n and 0 <= k < n }\"\n"
	"            band permutable coincident 1 1 \"[n] -> { S1[i, k]"
		" -> [(0), (((i) mod 8) : 0 <= i < n and 0 <= k < n)] }\"\n"
	"              band permutable coincident 0 \"{ S1[i, k] ->"
		" [(k)] }\"\n";

#endif
