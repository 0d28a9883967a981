/* client_server.h - times the start and the end of a server, without its clients. */
#ifndef BENCH_CLIENT_SERVER_H
#define BENCH_CLIENT_SERVER_H

#include <stdbool.h>

/** False unless this process is root: only root can start clients as a user who may not write the
 * region. */
bool client_server_possible(void);

/** Starts a server on its own node and ends it. Writes the ns until it served, and until it had
 * ended. */
void client_server_once(double *start_ns, double *stop_ns);

#endif
