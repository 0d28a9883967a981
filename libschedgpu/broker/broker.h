/*
 * broker.h - the structures and functions that the files of this folder share. The broker runs
 * inside the agent and is the only writer of the region for broker clients (Mode=brokered). One
 * thread does all the work, except for the search of adopt.c; only sg_terms and subordinate ids are
 * set from other threads, under their mutexes. It knows the core and the shell; it knows nothing of
 * Java and of Slurm's commands.
 */
#ifndef SG_BROKER_H
#define SG_BROKER_H

#include "../shell/admin/admin_handle.h"
#include "../shell/region/attach.h"
#include "../shell/region/run_dir.h"
#include "../shell/wire/wire.h"
#include "schedgpu/broker.h"
#include "schedgpu/conf.h"
#include <pthread.h>
#include <sys/stat.h>

/**
 * Ranges of user ids that belong to another user: n ranges, in one block of memory that begins at
 * `first`.
 */
struct subordinates {
  uint32_t n;
  uint32_t *first;
  uint32_t *count;
  uint32_t *owner;
};

/** What one user occupies in the agent, all of its user ids together. Freed when it is empty. */
struct user {
  uint32_t uid; /**< sg_account_of() */
  uint32_t connections;
  uint32_t clients;
  int64_t tokens; /**< messages that may be read now, of messages_per_second */
  uint64_t filled_ns;
  struct user *next;
};

/** What the region gave to a client, and for which job, when the agent last read it (restore.c). */
struct last_record {
  uint32_t kind; /**< kind of the job, whose id and start follow; 0: the client has no job */
  uint64_t id;
  uint64_t begun_ns;
  uint64_t live_dev; /**< its liveness file */
  uint64_t live_ino;
  uint64_t units[SCHEDGPU_MAX_DEVICES]; /**< leased */
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];
};

/** A process with a slot. It stays when its connection breaks, because it may connect again. */
struct broker_client {
  struct broker_client *next;
  uint32_t slot;
  uint32_t gen;
  struct sg_process process; /**< as the kernel reports it, in the agent's PID namespace */
  struct user *user;
  struct connection *connection; /**< NULL: not connected at the moment */
  int pidfd;
  struct sg_page *page;
  int renewed_fd; /**< its new liveness file, until it has that mapped; -1: none */
  struct last_record last;
  bool contested;      /**< others wait for its turn, and its page says so */
  bool waits_for_turn; /**< it is woken when that wait is over */
  bool stopped;        /**< it was at that time, in an iteration: */
  uint64_t looked_ns;
  uint64_t turn_counted_ns; /**< of lane.busy_ns of the page: in the region already */
  /**
   * Granted, but perhaps not yet taken; counts until the page confirms that the client read this
   * answer.
   */
  uint64_t pending[SCHEDGPU_MAX_DEVICES];
  uint32_t pending_contexts;
  uint32_t pending_sequence;
};

#define SG_TERMS_USERS 512

/** Limits of the site for jobs that users begin themselves (`schedgpu run`). */
struct terms {
  struct sg_conf conf; /**< only DefaultMem, MaxMem, MaxPriority, Lanes and MaxShare are set */
  uint32_t above_count;
  uint32_t above[SG_TERMS_USERS]; /**< the user ids of HighPriorityUsers, which the agent looks up:
                                       no lookup stops this thread */
};

struct connection {
  struct connection *next;
  int fd;
  int pidfd;
  uint32_t uid;
  int32_t pid;
  uint32_t version; /**< protocol version of both sides; 0: no greeting received yet */
  bool throttled;
  bool closing;
  uint64_t since_ns; /**< time when it connected, or when an answer could not be sent */
  uint64_t heard_ns; /**< time when it connected, or sent its last message */
  struct user *user;
  struct broker_client *client;
  struct sg_wire_answer *unsent;
};

/** The client that is woken when the request of a slot no longer waits. */
struct watched {
  struct broker_client *client;
  uint64_t ticket;
};

struct schedgpu_broker {
  schedgpu_admin *admin;
  struct sg_region *r; /**< of `admin` */
  char run_dir[PATH_MAX];
  struct schedgpu_broker_limits limits;
  struct schedgpu_broker_stats stats;
  int lock_fd, listen_fd, epoll_fd, stop_fd, spare_fd;
  struct stat listen_file; /* device and inode of the socket file, when it was created */
  struct user *users;
  struct connection *connections;
  struct broker_client *clients;
  struct watched watched[SG_SLOTS];
  uint32_t waits;     /**< entries of `watched` in use */
  bool turns_wait;    /**< a process waits for the turn of its lane */
  uint32_t throttled; /**< connections that are throttled */
  bool announced;     /**< the pages announce that a request waits */
  uint64_t repairs;   /**< the region's count of repairs, when all clients had their records */
  uint64_t seen_seq, seen_ns, reaped_ns;
  bool gone;    /**< the region was removed */
  bool unsaved; /**< the last begin or end of a job is not in the checkpoint */
  pthread_mutex_t terms_mutex;
  struct terms terms;
  pthread_mutex_t subordinates_mutex;
  struct subordinates subordinates;
  int64_t accepts; /**< connections that may be accepted now */
  uint64_t accepts_filled_ns;
  bool full_socket; /**< accepting stopped at its limit and continues later */
  uint64_t pid_namespace;
  struct sg_adoption *adoption; /**< NULL: no search for clients is running */
};

/* --- slots.c --- */
/** True if the slot still belongs to this client. It does not once its job has ended. */
bool sg_broker_client_has_slot(const schedgpu_broker *b, const struct broker_client *s);
/** True if the client is alive but its record is gone: damage. */
bool sg_broker_client_lost_record(const schedgpu_broker *b, const struct broker_client *s);
/** True if the client lost its slot for good, and not by damage. */
bool sg_broker_client_lost_slot(const schedgpu_broker *b, const struct broker_client *s);
struct broker_client *sg_broker_client_in_slot(const schedgpu_broker *b, uint32_t slot);
/** The client's wait, for memory or for the turn, is over. */
void sg_wake_client(struct broker_client *s);

/* --- users.c --- */
/** The user whose limits apply to this user id. */
uint32_t sg_account_of(schedgpu_broker *b, uint32_t uid);
/** The account of a user id; created if necessary. NULL: out of memory. */
struct user *sg_user_of(schedgpu_broker *b, uint32_t uid);
/** Frees all accounts that are empty. */
void sg_users_tick(schedgpu_broker *b);
/** Frees the account if it is empty and has all of its messages left. */
void sg_user_free_if_unused(schedgpu_broker *b, struct user *user);
/** Takes one message from the user's allowance. False: the message has to wait. */
bool sg_user_may_send(const schedgpu_broker *b, struct user *user);
/** Charges the user for a message that costs the agent as much as `messages` others. */
void sg_user_charge(struct user *user, uint32_t messages);
/**
 * True if a user with `has` entries of something may have one more, below `limit`, while `left` are
 * free for all users.
 */
bool sg_fair(uint32_t has, uint32_t limit, uint32_t left);

/* --- listen.c --- */
int sg_listen(schedgpu_broker *b);
/** From now on a new connection wakes the loop. ESYSTEM if epoll refuses. */
int sg_listen_to_loop(schedgpu_broker *b);
/** Creates the socket again if its file was removed or replaced. */
void sg_listen_again_if_removed(schedgpu_broker *b);
void sg_accept(schedgpu_broker *b);
/** Continues to accept after the limit per second had stopped it. */
void sg_accept_tick(schedgpu_broker *b);

/* --- send.c --- */
/** What wakes the loop about the connection: EPOLLIN, EPOLLOUT or 0. */
void sg_connection_poll(schedgpu_broker *b, struct connection *c, uint32_t events);
void sg_connection_write(schedgpu_broker *b, struct connection *c);
/**
 * Completes the head of `answer` and sends it with `fds` (NULL: none). False: it could neither be
 * sent nor queued, so the connection has to be closed.
 */
bool sg_answer(schedgpu_broker *b, struct connection *c, const struct sg_wire_head *question,
               struct sg_wire_answer *answer, size_t body, const int fds[2]);

/* --- connection.c --- */
void sg_connection_read(schedgpu_broker *b, struct connection *c);
void sg_connection_close(schedgpu_broker *b, struct connection *c);
/**
 * Closes one connection without a client, of the user with the most connections, so that `user` can
 * connect. False: no such connection. Must not be called while events are handled that may belong
 * to that connection.
 */
bool sg_connection_give_way(schedgpu_broker *b, const struct user *user);
/** Closes slow and idle connections, and reads throttled ones again. */
void sg_connections_tick(schedgpu_broker *b, uint64_t now_ns);

/* --- messages.c --- */
/**
 * Answers one message of `size` bytes. False: it is malformed, and the connection has to be closed.
 */
bool sg_message(schedgpu_broker *b, struct connection *c, const struct sg_wire_question *q,
                size_t size);

/* --- clients.c --- */
int sg_serve_attach(schedgpu_broker *b, struct connection *c, const struct sg_wire_attach *attach,
                    struct sg_wire_attached *attached, int fds[2]);
int sg_serve_resume(schedgpu_broker *b, struct connection *c, const struct sg_wire_resume *resume,
                    struct sg_wire_attached *attached, int fds[2]);
/** Takes a slot without a job, for a process that is about to begin one. */
int sg_serve_owner(schedgpu_broker *b, struct connection *c, int fds[2]);
/** The id of a Slurm job of which no prolog recorded the SLUID; no request can name it. */
#define SG_UNKNOWN_JOB UINT64_MAX
/**
 * Writes the id of the Slurm job whose control group contains the process, which the process cannot
 * leave. 0: no Slurm job; SG_UNKNOWN_JOB: a job with an unknown id. ESYSTEM: the control group
 * could not be read.
 */
int sg_job_of_cgroup(const schedgpu_broker *b, const struct connection *c, uint64_t *id);
void sg_close_both(int fds[2]);
/**
 * Creates a client and watches its process; takes over the page. NULL: out of memory or
 * descriptors, and nothing has changed.
 */
struct broker_client *sg_broker_client_new(schedgpu_broker *b, const struct sg_process *process,
                                           int pidfd, struct sg_page *page);
/** Adds it to the list of clients. `c`: its connection, or NULL. */
void sg_broker_client_add(schedgpu_broker *b, struct connection *c, struct broker_client *s);
/** Releases everything that the client holds, and frees the client. */
void sg_serve_detach(schedgpu_broker *b, struct broker_client *s);
/** Frees the client only; its record in the region stays. */
void sg_broker_client_forget(schedgpu_broker *b, struct broker_client *s);
/** Its connection broke: the process may have ended or have called exec. */
void sg_broker_client_disconnected(schedgpu_broker *b, struct broker_client *s);
/**
 * Called when the client sent a message. If the client has mapped its new liveness file, that file
 * counts from now on.
 */
void sg_broker_client_renew_file(schedgpu_broker *b, struct broker_client *s);

/* --- jobs.c --- */
int sg_serve_devices(schedgpu_broker *b, struct sg_wire_node *node);
int sg_serve_begin(schedgpu_broker *b, struct connection *c, const struct sg_wire_begin *begin,
                   struct sg_wire_begun *begun, int fds[2]);
int sg_serve_end(schedgpu_broker *b, struct connection *c, const struct sg_wire_end *end);
int sg_serve_use(schedgpu_broker *b, const struct connection *c, const struct sg_wire_end *of,
                 struct schedgpu_job_use *use);

/* --- adopt.c --- */
/** Starts the search for clients of an earlier agent. */
void sg_adopt_begin(schedgpu_broker *b);
/** Adopts the clients that were found since the last call, and gives up a search that is stuck. */
void sg_adopt_tick(schedgpu_broker *b, uint64_t now_ns);
/** Ends the search. */
void sg_adopt_end(schedgpu_broker *b);

/* --- live_file.c --- */
/** Creates the liveness file of a slot and locks its byte by the open file `*fd`. */
int sg_live_file_make(schedgpu_broker *b, uint32_t slot, int *fd, struct stat *st);
/** Opens and locks the existing file; creates a new one if it was deleted. `*st` identifies it. */
int sg_live_file_open(schedgpu_broker *b, uint32_t slot, int *fd, struct stat *st);
void sg_live_file_remove(schedgpu_broker *b, uint32_t slot);
/**
 * Creates a client page and maps it. `*fd` is the descriptor to send to the client. NULL: no memory
 * or descriptors.
 */
struct sg_page *sg_page_make(int *fd);

/* --- restore.c: restores damaged records --- */
/**
 * Restores the records of all clients that lost theirs. ELOCK: the lock was not available;
 * ECORRUPT: the region cannot be repaired.
 */
int sg_restore_records(schedgpu_broker *b);
/** The same, but only checks this client first, which is cheaper. */
int sg_restore_record(schedgpu_broker *b, const struct broker_client *s);

/* --- sync.c: to be called with the region's lock, unless stated otherwise --- */
/**
 * Sync from page: takes back what the client leased and does not use, and frees what it released.
 */
void sg_sync_from_page(schedgpu_broker *b, struct broker_client *s, struct sg_wakes *wakes);
void sg_sync_from_pages(schedgpu_broker *b, struct sg_wakes *wakes);
/** The same for all clients of this one's job. */
void sg_sync_from_job(schedgpu_broker *b, const struct broker_client *of, struct sg_wakes *wakes);
/**
 * Fills `backup` with what the client uses by its page, limited to what the region gave it. The
 * page keeps no other lease.
 */
void sg_backup_of(struct broker_client *s, struct sg_backup *backup);
/** Records what the region gives the client, and for which job. */
void sg_note_record(const schedgpu_broker *b, struct broker_client *s);
/** Sync to page: gives the client all that the region leases to it. */
void sg_sync_to_page(schedgpu_broker *b, struct broker_client *s);
/** Reads the client's peak and refusals from its page. May be called without the lock. */
void sg_sync_marks(schedgpu_broker *b, struct broker_client *s);
/**
 * Writes to the region what every client uses, for readers of the region. May be called without the
 * lock.
 */
void sg_publish_use(schedgpu_broker *b);
/** Announces on all pages whether a request waits. */
void sg_announce_waiters(schedgpu_broker *b, bool somebody);

/* --- ask.c --- */
int sg_serve_ask(schedgpu_broker *b, struct broker_client *s, const struct sg_wire_ask *ask,
                 uint32_t sequence, struct sg_wire_queued *queued);
int sg_serve_settle(schedgpu_broker *b, struct broker_client *s, uint64_t ticket,
                    uint32_t sequence);
int sg_serve_sync(schedgpu_broker *b, struct broker_client *s);

int sg_serve_end_turn(schedgpu_broker *b, struct broker_client *s);
int sg_serve_leave_line(schedgpu_broker *b, struct broker_client *s);

/* --- turn_page.c: to be called with the region's lock --- */
/** The client that has the turn of the lane; NULL: nobody, or a process that is no client. */
struct broker_client *sg_turn_holder_client(const schedgpu_broker *b, uint32_t lane);
/** Sync from page: a turn that the client does not use is idle in the region, too. */
void sg_turn_from_page(schedgpu_broker *b, struct broker_client *s);
/** Sync to page: what the region says of the client's turn. Wakes it if it waited for that. */
void sg_turn_to_page(schedgpu_broker *b, struct broker_client *s);
/** Tells the holder whether others want its turn, so that it says when an iteration ends. */
void sg_turn_announce(schedgpu_broker *b, struct broker_client *holder, uint32_t lane, bool wanted);
/** To the pages of all who have a turn, or got it in this transition. */
void sg_turns_to_pages(schedgpu_broker *b, const struct sg_wakes *wakes);
/** After a restart: the turn as the client says, for the region to correct. */
void sg_turn_resume(schedgpu_broker *b, struct broker_client *s, uint32_t turn);

/* --- turns.c --- */
/** The client is about to ask for a turn: those who may have it say what they need of it. Call with
 * the lock. */
void sg_turns_contest(schedgpu_broker *b, const struct broker_client *by, struct sg_wakes *wakes);
/** True if a process waits for a turn. */
bool sg_any_turn_waits(const schedgpu_broker *b);
/** Serves whoever waits for a turn, because waiting clients do not. */
void sg_turns_tick(schedgpu_broker *b);

/* --- visible.c: what a user may see --- */
int sg_serve_query(schedgpu_broker *b, const struct broker_client *s, uint32_t device,
                   struct schedgpu_info *info);
int sg_serve_holders(schedgpu_broker *b, const struct broker_client *s, uint32_t device,
                     char text[SG_WIRE_TEXT]);
void sg_describe_job(const schedgpu_broker *b, uint32_t job, struct sg_wire_attached *attached);
void sg_describe_wait(const schedgpu_broker *b, const struct broker_client *s,
                      struct sg_wire_queued *queued);
/** Whose turn the client waits for: only a job of its user by number. */
void sg_describe_turn(const schedgpu_broker *b, const struct broker_client *s,
                      struct sg_wire_queued *queued);

/* --- watch.c --- */
/** Watches the client's waiting request, and wakes the client when the wait is over. */
void sg_watch(schedgpu_broker *b, struct broker_client *s, uint64_t ticket);
void sg_unwatch(schedgpu_broker *b, const struct broker_client *s);
/** Ends a transition: unlocks the region and wakes the waiters that were served. */
void sg_leave(schedgpu_broker *b, const struct sg_wakes *wakes);
/** Wakes all whose waits are over. */
void sg_watch_all(const schedgpu_broker *b);

/* --- tick.c --- */
/** Checks for changes by other processes and for dead clients. */
void sg_tick(schedgpu_broker *b, uint64_t now_ns);

#endif
