/* A 3 x 3 blur of an image of h x w pixels; its border stays. */
void blur(int h, int w, const float in[h][w], float out[h][w])
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			out[y][x] = in[y][x];
	for (int y = 1; y < h - 1; y++)
		for (int x = 1; x < w - 1; x++)
			out[y][x] = (in[y - 1][x - 1] + in[y - 1][x] +
				in[y - 1][x + 1] + in[y][x - 1] + in[y][x] +
				in[y][x + 1] + in[y + 1][x - 1] +
				in[y + 1][x] + in[y + 1][x + 1]) / 9;
}
