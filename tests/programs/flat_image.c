// sizes: w=1 h=1; w=7 h=5; w=33 h=9    flat: rgb=3*w*h,gray=w*h,half=h*(w/2)
/* Interleaved colours, rows that are written by parts, and a last row. */
void flat_image(int w, int h, const unsigned char *rgb, unsigned char *gray,
	short half[h * (w / 2)])
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			int p = (y * w + x) * 3;

			gray[y * w + x] = (unsigned char)((rgb[p] * 30 +
				rgb[p + 1] * 59 + rgb[p + 2] * 11) / 100);
		}
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w / 2; x++)
			half[y * (w / 2) + x] = gray[(y + 1) * w - 1 - x] -
				gray[(h - 1) * w + x];
}
