// sizes: h=1 w=1; h=5 w=8; h=17 w=23    flat: in=h*w,out=h*w
// Images of pixels that are structures, numbered by rows; one object behind a
// pointer; integers that wrap.
typedef unsigned char byte;
typedef struct pixel {
	byte r, g, b, a;
} pixel;
typedef struct {
	int offset[2];
	int gain;
} settings;

void structure_images(int h, int w, const pixel *in, pixel *out,
	const settings *s)
{
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++) {
			const pixel *from = &in[y * w + x];
			int sum = from->r + from->g + from->b;

			out[y * w + x].r = sum / 3;
			out[y * w + x].g = from->g * s->gain;
			out[y * w + x].b = (*from).b + s->offset[1];
			out[y * w + x].a = sum > 300 ? from->a : s->offset[0];
		}
	for (int y = 1; y < h; y++)
		for (int x = 0; x < w; x++)
			out[y * w + x].a += out[(y - 1) * w + x].a;
}
