/* Addresses as tools print them; see sock_text.h. */
#include "collectors/sock_text.h"

#include <arpa/inet.h>

/* Takes the zone off: "fe80::1%eth0", "[fe80::1]%eth0", "127.0.0.53%lo". */
static void cut_zone(char *host)
{
	char *zone = strchr(host, '%');

	if (zone)
		*zone = '\0';
	if (zone && *host == '[' && zone[-1] != ']')
		snprintf(zone, 2, "]");
}

bool nd_sock_text_address(struct nd_facts *f, char *word, bool *modern, struct nd_sock_addr *out)
{
	char *colon = strrchr(word, ':');
	uint64_t port;
	size_t len;

	if (!colon || colon == word || !colon[1])
		return false;
	*colon = '\0';
	if (nd_parse_u64(colon + 1, 10, &port) && port <= UINT16_MAX)
		out->port = (uint16_t)port;
	else
		out->port_name = nd_arena_strdup(nd_facts_arena(f), colon + 1);
	cut_zone(word);
	len = strlen(word);
	if (*word == '[' && word[len - 1] == ']') {
		*modern = true; /* the brackets and 0.0.0.0 came together */
		word[len - 1] = '\0';
		word++;
	}
	*modern |= strcmp(word, "0.0.0.0") == 0;
	out->star = strcmp(word, "*") == 0;
	if (out->star)
		out->family = *modern ? AF_INET6 : AF_INET;
	else if (inet_pton(AF_INET, word, out->ip) == 1)
		out->family = AF_INET;
	else if (inet_pton(AF_INET6, word, out->ip) == 1)
		out->family = AF_INET6;
	else
		out->name = nd_arena_strdup(nd_facts_arena(f), word);
	return true;
}
