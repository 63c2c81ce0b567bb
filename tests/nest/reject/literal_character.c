void f(int n, long b[n])
{
	for (int i = 0; i < n; i++) {
		b[i] = ''; // ERROR[E158] 10: it has no character
		b[i] = 'abcde'; // ERROR[E158] 10: more characters than its type holds
		b[i] = L'ab'; // ERROR[E158] 10: more characters than its type holds
		b[i] = '\400'; // ERROR[E158] 10: no character has the number
		b[i] = '\q'; // ERROR[E158] 10: no such character behind a backslash
		b[i] = 'é'; // ERROR[E158] 10: outside of ASCII
	}
}
