/* A program that was written without a GPU in mind. */
#include <stdio.h>

void blur(int h, int w, const float in[h][w], float out[h][w]);

enum { H = 50, W = 70 };
static float image[H][W], result[H][W];

int main(void)
{
	double sum = 0;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			image[y][x] = (float)((x * 31 + y * 17) % 256);
	blur(H, W, image, result);
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			sum += result[y][x] * (1 + (x + y) % 3);
	printf("%.6f\n", sum);
	return 0;
}
