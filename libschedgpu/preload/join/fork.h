/* fork.h - a forked child of a scheduled process. */
#ifndef SGP_FORK_H
#define SGP_FORK_H

/** Resets the child: it holds nothing of the parent's account, and its copies of our locks may be
 * taken. */
void sgp_after_fork(void);

#endif
