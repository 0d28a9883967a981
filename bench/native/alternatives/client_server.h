/* client_server.h - what a server's own life takes, beside those of its clients. */
#ifndef BENCH_CLIENT_SERVER_H
#define BENCH_CLIENT_SERVER_H

#include <stdbool.h>

/** Its clients must be users who may not write the region: only root can be another user. */
bool client_server_possible(void);

/** Starts a server on a node of its own, and ends it: ns until it served, and until it was gone. */
void client_server_once(double *start_ns, double *stop_ns);

#endif
