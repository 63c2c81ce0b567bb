/* A library to be found as nvJitLink, which tells a version and no more, and
 * asks for no memory.
 */
int nvJitLinkVersion(unsigned *major, unsigned *minor);

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
	*major = 12;
	*minor = 34;
	return 0;
}
