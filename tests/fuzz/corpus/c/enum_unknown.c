typedef double real;
enum { N =0s3 ;} 
tatic real A[N][N], 0x[N];
void forward(void)
{
	for (long i = N - ;
		x[i] = s / A[i][i];
	}
}
