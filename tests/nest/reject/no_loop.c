int f(int n) // ERROR[E153] -: has a loop
{
	return n;
}
