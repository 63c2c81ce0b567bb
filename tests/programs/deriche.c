// sizes: w=3 h=3; w=6 h=5; w=7 h=11
void deriche(int w, int h, float f1, float f2, float f5, float g1, float g2,
	const float in[w][h], float out[w][h], float y1[w][h], float y2[w][h])
{
	float xm, ym1, ym2, xp1, xp2, yp1, yp2;

	for (int i = 0; i < w; i++) {
		ym1 = 0;
		ym2 = 0;
		xm = 0;
		for (int j = 0; j < h; j++) {
			y1[i][j] = f1 * in[i][j] + f2 * xm + g1 * ym1 + g2 * ym2;
			xm = in[i][j];
			ym2 = ym1;
			ym1 = y1[i][j];
		}
	}
	for (int i = 0; i < w; i++) {
		yp1 = 0;
		yp2 = 0;
		xp1 = 0;
		xp2 = 0;
		for (int j = h - 1; j >= 0; j--) {
			y2[i][j] = f1 * xp1 + f2 * xp2 + g1 * yp1 + g2 * yp2;
			xp2 = xp1;
			xp1 = in[i][j];
			yp2 = yp1;
			yp1 = y2[i][j];
		}
	}
	for (int i = 0; i < w; i++)
		for (int j = 0; j < h; j++)
			out[i][j] = f5 * (y1[i][j] + y2[i][j]);
}
