# PolyMage's pipelines: Harris corners, unsharp mask, and a pyramid's step down
# and up.
param R, C;
assume R >= 1, C >= 1;
tensor f32 img(R+2,C+2), rgb(3,R+4,C+4), big(2*R+1,2*C+1);
Ix(x,y) for 1<=x<=R, 1<=y<=C = (img(x-1,y-1) * -0.0833333 + img(x+1,y-1) * 0.0833333) + (img(x-1,y) * -0.166667 + img(x+1,y) * 0.166667) + (img(x-1,y+1) * -0.0833333 + img(x+1,y+1) * 0.0833333);
Iy(x,y) for 1<=x<=R, 1<=y<=C = (img(x-1,y-1) * -0.0833333 + img(x-1,y+1) * 0.0833333) + (img(x,y-1) * -0.166667 + img(x,y+1) * 0.166667) + (img(x+1,y-1) * -0.0833333 + img(x+1,y+1) * 0.0833333);
Ixx(x,y) = Ix(x,y) * Ix(x,y);
Iyy(x,y) = Iy(x,y) * Iy(x,y);
Ixy(x,y) = Ix(x,y) * Iy(x,y);
Sxx(x,y) for 2<=x<R, 2<=y<C = sum(i,j for -1<=i<=1, -1<=j<=1: Ixx(x+i,y+j));
Syy(x,y) for 2<=x<R, 2<=y<C = sum(i,j for -1<=i<=1, -1<=j<=1: Iyy(x+i,y+j));
Sxy(x,y) for 2<=x<R, 2<=y<C = sum(i,j for -1<=i<=1, -1<=j<=1: Ixy(x+i,y+j));
det(x,y) = Sxx(x,y) * Syy(x,y) - Sxy(x,y) * Sxy(x,y);
trace(x,y) = Sxx(x,y) + Syy(x,y);
out harris(x,y) for 0<=x<R+2, 0<=y<C+2 = case { x >= 2 and x < R and y >= 2 and y < C: det(x,y) - 0.04 * trace(x,y) * trace(x,y); else: 0; };
blurx(c,x,y) for 0<=c<3, 2<=x<R+2, 0<=y<C+4 = 0.0625 * rgb(c,x-2,y) + 0.25 * rgb(c,x-1,y) + 0.375 * rgb(c,x,y) + 0.25 * rgb(c,x+1,y) + 0.0625 * rgb(c,x+2,y);
blury(c,x,y) for 0<=c<3, 2<=x<R+2, 2<=y<C+2 = 0.0625 * blurx(c,x,y-2) + 0.25 * blurx(c,x,y-1) + 0.375 * blurx(c,x,y) + 0.25 * blurx(c,x,y+1) + 0.0625 * blurx(c,x,y+2);
sharpen(c,x,y) for 0<=c<3, 2<=x<R+2, 2<=y<C+2 = 4 * rgb(c,x,y) - 3 * blury(c,x,y);
out unsharp(c,x,y) for 0<=c<3, 2<=x<R+2, 2<=y<C+2 = abs(rgb(c,x,y) - blury(c,x,y)) < 0.001 ? rgb(c,x,y) : sharpen(c,x,y);
down(x,y) for 0<=x<R, 0<=y<C = 0.25 * (big(2*x,2*y) + big(2*x+1,2*y) + big(2*x,2*y+1) + big(2*x+1,2*y+1));
up(x,y) for 0<=x<2*R-1, 0<=y<2*C-1 = case { x%2 == 0 and y%2 == 0: down(x/2,y/2); x%2 == 0: 0.5 * (down(x/2,y/2) + down(x/2,y/2+1)); y%2 == 0: 0.5 * (down(x/2,y/2) + down(x/2+1,y/2)); else: 0.25 * (down(x/2,y/2) + down(x/2+1,y/2) + down(x/2,y/2+1) + down(x/2+1,y/2+1)); };
out laplace(x,y) = big(x,y) - up(x,y);
