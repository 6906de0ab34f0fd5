/* One line of a list of IPVS connections, as ipvsadm and /proc spell it.
 *
 *	TCP 14:46  ESTABLISHED 10.0.0.1:45678 10.96.0.1:443 192.168.0.1:6443
 *	TCP C0A80164 B26E 0A600001 01BB C0A80001 192B ESTABLISHED     886 */
#include "collectors/ipvs.h"

#include <arpa/inet.h>
#include <ctype.h>

#define WORDS_MAX 9

/* "01BB" */
static bool hex_port(const char *s, unsigned *out)
{
	uint64_t v;

	if (strlen(s) != 4 || !nd_parse_u64(s, 16, &v))
		return false;
	*out = (unsigned)v;
	return true;
}

/* "C0A80001" or "[2001:0db8:0000:…]" and a port in hexadecimal. */
static bool hex_pair(const char *host, size_t n, const char *port, char *out, size_t size)
{
	char text[64], shown[INET6_ADDRSTRLEN];
	struct in6_addr six;
	unsigned number;
	uint64_t v;

	if (n >= sizeof(text) || !hex_port(port, &number))
		return false;
	memcpy(text, host, n);
	text[n] = '\0';
	if (n == 8 && nd_parse_u64(text, 16, &v))
		return (size_t)snprintf(out, size, "%u.%u.%u.%u:%u", (unsigned)(v >> 24),
					(unsigned)(v >> 16 & 255), (unsigned)(v >> 8 & 255),
					(unsigned)(v & 255), number) < size;
	if (n < 2 || text[0] != '[' || text[n - 1] != ']')
		return false;
	text[n - 1] = '\0';
	if (inet_pton(AF_INET6, text + 1, &six) != 1 ||
	    !inet_ntop(AF_INET6, &six, shown, sizeof(shown)))
		return false;
	return (size_t)snprintf(out, size, "[%s]:%u", shown, number) < size;
}

/* Eight hexadecimal digits, or an IPv6 address with all its zeroes as only /proc writes it. */
static bool is_proc_host(const char *s, size_t n)
{
	return (n == 8 && strspn(s, "0123456789ABCDEFabcdef") >= 8) || (n == 41 && *s == '[');
}

bool nd_ipvs_address(const char *word, char *out, size_t size)
{
	const char *colon = strrchr(word, ':');

	if (!colon || colon == word || !colon[1])
		return false;
	if (is_proc_host(word, (size_t)(colon - word)) &&
	    hex_pair(word, (size_t)(colon - word), colon + 1, out, size))
		return true;
	return (size_t)snprintf(out, size, "%s", word) < size;
}

static bool is_protocol(const char *word)
{
	return strcmp(word, "TCP") == 0 || strcmp(word, "UDP") == 0 || strcmp(word, "SCTP") == 0;
}

static bool is_state(const char *word)
{
	return strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-") == strlen(word) &&
	       isupper((unsigned char)word[0]) && strlen(word) < 16;
}

static bool from_proc(char *const w[WORDS_MAX], struct nd_ipvs_conn *out)
{
	return is_state(w[7]) &&
	       hex_pair(w[3], strlen(w[3]), w[4], out->virtual_, sizeof(out->virtual_)) &&
	       hex_pair(w[5], strlen(w[5]), w[6], out->real, sizeof(out->real)) &&
	       snprintf(out->state, sizeof(out->state), "%s", w[7]) > 0;
}

static bool from_tool(char *const w[WORDS_MAX], struct nd_ipvs_conn *out)
{
	return isdigit((unsigned char)w[1][0]) && strchr(w[1], ':') && is_state(w[2]) &&
	       strchr(w[3], ':') && nd_ipvs_address(w[4], out->virtual_, sizeof(out->virtual_)) &&
	       nd_ipvs_address(w[5], out->real, sizeof(out->real)) &&
	       snprintf(out->state, sizeof(out->state), "%s", w[2]) > 0;
}

bool nd_ipvs_conn_line(char *line, struct nd_ipvs_conn *out)
{
	char *w[WORDS_MAX] = {NULL}, *word;
	size_t n = 0;

	while (n < WORDS_MAX && (word = nd_word(&line)))
		w[n++] = word;
	if (n < 6 || !is_protocol(w[0]))
		return false;
	for (size_t i = 0; i <= strlen(w[0]); i++)
		out->protocol[i] = (char)tolower((unsigned char)w[0][i]);
	return n >= 8 && !strchr(w[1], ':') ? from_proc(w, out) : from_tool(w, out);
}
