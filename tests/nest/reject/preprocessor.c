#include "nothing.h" // ERROR[E156] 10: nothing.h
void f(int n, double a[n])
{
}
