void f(int n, float x[n])
{
	x[threadIdx.x] = 1; // ERROR[E251] 4: 'threadIdx' is not declared; loops become threads and blocks by themselves
}
