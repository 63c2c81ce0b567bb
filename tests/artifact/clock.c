/* A library to be preloaded into the command: whatever asks for the time, an
 * hour has passed since it was last asked.
 */
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static time_t next_hour(void)
{
	static atomic_llong hours = 500000;

	return (time_t)(3600 * atomic_fetch_add(&hours, 1));
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	(void)clock;
	*t = (struct timespec){ .tv_sec = next_hour() };
	return 0;
}

int timespec_get(struct timespec *t, int base)
{
	*t = (struct timespec){ .tv_sec = next_hour() };
	return base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	(void)zone;
	*t = (struct timeval){ .tv_sec = next_hour() };
	return 0;
}

time_t time(time_t *t)
{
	time_t now = next_hour();

	if (t)
		*t = now;
	return now;
}

clock_t clock(void)
{
	return (clock_t)(next_hour() * CLOCKS_PER_SEC);
}

clock_t times(struct tms *t)
{
	clock_t now = (clock_t)(next_hour() * 100);

	*t = (struct tms){ .tms_utime = now };
	return now;
}

int getrusage(__rusage_who_t who, struct rusage *r)
{
	(void)who;
	*r = (struct rusage){ .ru_utime.tv_sec = next_hour() };
	return 0;
}
