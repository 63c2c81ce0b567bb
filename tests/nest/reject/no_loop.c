int f(int n)
{
	return n;
}
int g(int n) // ERROR[E153] 5: none of the 2 functions of the file has a loop
{
	return n;
}
