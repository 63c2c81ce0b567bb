// sizes: n=1; n=64; n=1009
// What is made of the negation of 16 bits, of which ptxas took -32768 for 32768.
void negated_halves(int n, const int x[n], const short h[n], long wide[n],
	int word[n], int below[n], int shifted[n], int times[n], int least[n],
	float real[n], short same[n], int small[n], int cut[n],
	int sum[1])
{
	for (int i = 0; i < n; i++) {
		short a = (x[i] & 7) * 8192;
		short minus = -a, four = a * -4, nine = h[i] * -9, high = -h[i];
		signed char b = (x[i] & 15) * 16, less = -b;

		wide[i] = (unsigned long)minus >> 54;
		word[i] = minus + (four >> 2);
		below[i] = (minus < 5) + 2 * (four < 5) + 4 * (nine < -7);
		shifted[i] = (minus >> 3) ^ (nine >> 1);
		times[i] = minus * 7 + nine * high;
		least[i] = minus < 5 ? minus : 5;
		real[i] = minus;
		same[i] = high;
		small[i] = less * 3;
		cut[i] = ((signed char)-x[i] < 5) + 2 * ((short)-x[i] < 5);
	}
	sum[0] = 0;
	for (int i = 0; i < n; i++) {
		short minus = -(short)((x[i] & 3) * 16384);

		sum[0] += minus >> 14;
	}
}
