/* broker.h - what the files of this folder share. One thread does it all. */
#ifndef SG_BROKER_H
#define SG_BROKER_H

#include "../shell/admin/admin_handle.h"
#include "../shell/region/attach.h"
#include "../shell/region/run_dir.h"
#include "../shell/wire/wire.h"
#include "schedgpu/broker.h"
#include <pthread.h>
#include <sys/stat.h>

/** User ids that are another user's: n ranges, in one piece of memory, which begins at `first`. */
struct subordinates {
  uint32_t n;
  uint32_t *first;
  uint32_t *count;
  uint32_t *owner;
};

/** What a user has of the agent, all of his user ids together; while it has anything. */
struct user {
  uint32_t uid; /**< sg_account_of() */
  uint32_t connections;
  uint32_t clients;
  int64_t tokens; /**< messages that may be read now */
  uint64_t filled_ns;
  struct user *next;
};

/** What the region gave a client, and of which job, when the agent last looked (restore.c). */
struct last_record {
  uint32_t kind; /**< of the job, with id and begin; 0: it has none */
  uint64_t id;
  uint64_t begun_ns;
  uint64_t live_dev; /**< its liveness file */
  uint64_t live_ino;
  uint64_t units[SCHEDGPU_MAX_DEVICES]; /**< leased */
  uint64_t contexts[SCHEDGPU_MAX_DEVICES];
};

/** A process that has a slot. It stays when its connection breaks: it may come again. */
struct broker_client {
  struct broker_client *next;
  uint32_t slot;
  uint32_t gen;
  struct sg_person person; /**< as the kernel and the agent's PID namespace have it */
  struct user *user;
  struct connection *connection; /**< NULL: it has none just now */
  int pidfd;
  struct sg_page *page;
  int renewed_fd; /**< its new liveness file, until it has that mapped; -1: none */
  struct last_record last;
  /** Granted, and perhaps not yet taken: until the page says that this answer was heard. */
  uint64_t pending[SCHEDGPU_MAX_DEVICES];
  uint32_t pending_contexts;
  uint32_t pending_sequence;
};

#define SG_TERMS_USERS 512

/** What the site lets users have in jobs that they begin themselves. */
struct terms {
  char default_mem[32]; /**< "": none */
  char max_mem[32];
  int32_t max_priority;
  uint32_t above_count;
  uint32_t above[SG_TERMS_USERS]; /**< who may go beyond that priority */
};

struct connection {
  struct connection *next;
  int fd;
  int pidfd;
  uint32_t uid;
  int32_t pid;
  uint32_t version; /**< that both speak; 0: it has not greeted */
  bool throttled;
  bool closing;
  uint64_t since_ns; /**< it connected, or its answer could not be sent */
  uint64_t heard_ns; /**< it connected, or said something */
  struct user *user;
  struct broker_client *client;
  struct sg_wire_answer *unsent;
};

/** Who is told when the request of a slot waits no more. */
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
  struct stat listen_file; /* the socket's name, when it was made */
  struct user *users;
  struct connection *connections;
  struct broker_client *clients;
  struct watched watched[SG_SLOTS];
  uint32_t waits;     /**< how many of them are used */
  uint32_t throttled; /**< how many connections are */
  bool announced;     /**< the pages say that somebody waits */
  uint64_t repairs;   /**< of the region, when all clients had their records */
  uint64_t seen_seq, seen_ns, reaped_ns;
  bool gone;    /**< the region */
  bool unsaved; /**< the checkpoint does not have the last job that began or ended */
  pthread_mutex_t terms_mutex;
  struct terms terms;
  pthread_mutex_t subordinates_mutex;
  struct subordinates subordinates;
  int64_t accepts; /**< that may be made now */
  uint64_t accepts_filled_ns;
  bool full_socket; /**< there may be more to accept, later */
  uint64_t pid_namespace;
  struct sg_adoption *adoption; /**< NULL: none is under way */
};

/* --- users.c --- */
/** The user whose share it is that this user id takes. */
uint32_t sg_account_of(schedgpu_broker *b, uint32_t uid);
/** The account of a user; NULL only without memory. */
struct user *sg_user_of(schedgpu_broker *b, uint32_t uid);
/** Forgets those that have nothing any more. */
void sg_users_tick(schedgpu_broker *b);
/** Forgets it if it has nothing. */
void sg_user_free_if_unused(schedgpu_broker *b, struct user *user);
/** Takes a message's worth; false: it has to wait. */
bool sg_user_may_send(const schedgpu_broker *b, struct user *user);
/** A message that costs the agent as much as `messages` others. */
void sg_user_charge(struct user *user, uint32_t messages);
/** Whether a user who has `has` of something may have one more, with so much left for all. */
bool sg_fair(uint32_t has, uint32_t limit, uint32_t left);

/* --- listen.c --- */
int sg_listen(schedgpu_broker *b);
/** Whoever connects wakes the loop from now on. */
int sg_listen_to_loop(schedgpu_broker *b);
/** Listens at the old name with a new socket, if the file there is not the one that was made. */
void sg_listen_again_if_removed(schedgpu_broker *b);
void sg_accept(schedgpu_broker *b);
/** Goes on where it had to stop. */
void sg_accept_tick(schedgpu_broker *b);

/* --- connection.c --- */
void sg_connection_read(schedgpu_broker *b, struct connection *c);
void sg_connection_write(schedgpu_broker *b, struct connection *c);
/** `answer` is complete but for its head. False: it could not be sent, nor kept. */
bool sg_answer(schedgpu_broker *b, struct connection *c, const struct sg_wire_head *question,
               struct sg_wire_answer *answer, size_t body, const int fds[2]);
void sg_connection_close(schedgpu_broker *b, struct connection *c);
/** Closes a connection without a client of who has the most, for who has fewer. Not while events
 * are handled that may be that connection's. */
bool sg_connection_give_way(schedgpu_broker *b, const struct user *user);
/** Closes who is too slow, reads who was throttled. */
void sg_connections_tick(schedgpu_broker *b, uint64_t now_ns);

/* --- messages.c --- */
/** False: it is none, and who sent it is cut off. */
bool sg_message(schedgpu_broker *b, struct connection *c, const struct sg_wire_question *q,
                size_t size);

/* --- clients.c --- */
int sg_serve_attach(schedgpu_broker *b, struct connection *c, const struct sg_wire_attach *attach,
                    struct sg_wire_attached *attached, int fds[2]);
int sg_serve_resume(schedgpu_broker *b, struct connection *c, const struct sg_wire_resume *resume,
                    struct sg_wire_attached *attached, int fds[2]);
/** A slot without a job, for who is about to begin one. */
int sg_serve_owner(schedgpu_broker *b, struct connection *c, int fds[2]);
/** A control group of Slurm whose job no prolog recorded: of no job that anybody can name. */
#define SG_UNKNOWN_JOB UINT64_MAX
/**
 * The Slurm job whose control group the process is in, which it cannot leave. 0: of none;
 * SG_UNKNOWN_JOB.
 */
int sg_job_of_cgroup(const schedgpu_broker *b, const struct connection *c, uint64_t *id);
struct broker_client *sg_broker_client_in_slot(const schedgpu_broker *b, uint32_t slot);
void sg_close_both(int fds[2]);
/** Watches the process; the page is its from here on. NULL: nothing was changed. */
struct broker_client *sg_broker_client_new(schedgpu_broker *b, const struct sg_person *person,
                                           int pidfd, struct sg_page *page);
/** Now it is among the clients; `c` NULL: without a connection. */
void sg_broker_client_add(schedgpu_broker *b, struct connection *c, struct broker_client *s);
/** Gives back all it holds. */
void sg_serve_detach(schedgpu_broker *b, struct broker_client *s);
/** Forgets it; the region keeps what it has there. */
void sg_broker_client_forget(schedgpu_broker *b, struct broker_client *s);
/** Its connection broke: it may have ended, or become another program. */
void sg_broker_client_disconnected(schedgpu_broker *b, struct broker_client *s);
/** It said something: if it has mapped the new file it was sent, it lives by that from here on. */
void sg_broker_client_renew_file(schedgpu_broker *b, struct broker_client *s);
/** Whether the slot is still this client's: its job may have ended. */
bool sg_broker_client_has_slot(const schedgpu_broker *b, const struct broker_client *s);

/* --- jobs.c --- */
int sg_serve_devices(schedgpu_broker *b, struct sg_wire_node *node);
int sg_serve_begin(schedgpu_broker *b, struct connection *c, const struct sg_wire_begin *begin,
                   struct sg_wire_begun *begun, int fds[2]);
int sg_serve_end(schedgpu_broker *b, struct connection *c, const struct sg_wire_end *end);
int sg_serve_use(schedgpu_broker *b, const struct connection *c, const struct sg_wire_end *of,
                 struct schedgpu_job_use *use);

/* --- adopt.c --- */
/** Begins to look for the clients that an agent before this one served. */
void sg_adopt_begin(schedgpu_broker *b);
/** Takes over who was found since the last call. */
void sg_adopt_tick(schedgpu_broker *b, uint64_t now_ns);
/** Looks no further. */
void sg_adopt_end(schedgpu_broker *b);

/* --- live_file.c --- */
/** Makes the liveness file of a slot, locked by the open file that `*fd` becomes. */
int sg_live_file_make(schedgpu_broker *b, uint32_t slot, int *fd, struct stat *st);
/** Locks it once more; makes a new one if somebody deleted it. `*st`: which one it is. */
int sg_live_file_open(schedgpu_broker *b, uint32_t slot, int *fd, struct stat *st);
void sg_live_file_remove(schedgpu_broker *b, uint32_t slot);
/** A page, mapped here; `*fd` is for the client. */
struct sg_page *sg_page_make(int *fd);

/* --- restore.c: records that were damaged --- */
/** Gives those clients their records again that lost them. ELOCK: it could not; ECORRUPT. */
int sg_restore_records(schedgpu_broker *b);
/** The same, if it is needed for the sake of this one: cheaper. */
int sg_restore_record(schedgpu_broker *b, const struct broker_client *s);
/** Whether the slot is this client's no more, and was not merely damaged. */
bool sg_broker_client_gone(const schedgpu_broker *b, const struct broker_client *s);

/* --- sync.c; all under the region's lock --- */
/** Takes back what the client leased and does not use; gives back what it gave back. */
void sg_sync_from_page(schedgpu_broker *b, struct broker_client *s, struct sg_wakes *wakes);
void sg_sync_from_pages(schedgpu_broker *b, struct sg_wakes *wakes);
/** What it has by its page, of what the region gave it; then its page has no more leased. */
void sg_claim_of(struct broker_client *s, struct sg_claim *claim);
/** Notes what the region gives it, and for which job. */
void sg_note_record(const schedgpu_broker *b, struct broker_client *s);
/** Lets it have what the region says it has. */
void sg_sync_to_page(schedgpu_broker *b, struct broker_client *s);
/** Also without the lock: the most that it had in use, and what it was refused. */
void sg_sync_marks(schedgpu_broker *b, struct broker_client *s);
/** Without the lock: what each uses, for who looks at the region. */
void sg_publish_use(schedgpu_broker *b);
/** Tells all whether somebody waits. */
void sg_announce_waiters(schedgpu_broker *b, bool somebody);

/* --- ask.c --- */
int sg_serve_ask(schedgpu_broker *b, struct broker_client *s, const struct sg_wire_ask *ask,
                 uint32_t sequence, struct sg_wire_queued *queued);
int sg_serve_settle(schedgpu_broker *b, struct broker_client *s, uint64_t ticket,
                    uint32_t sequence);
int sg_serve_sync(schedgpu_broker *b, struct broker_client *s);

/* --- visible.c: what a user may know --- */
int sg_serve_query(schedgpu_broker *b, const struct broker_client *s, uint32_t device,
                   struct schedgpu_info *info);
int sg_serve_holders(schedgpu_broker *b, const struct broker_client *s, uint32_t device,
                     char text[SG_WIRE_TEXT]);
void sg_describe_job(const schedgpu_broker *b, uint32_t job, struct sg_wire_attached *attached);
void sg_describe_wait(const schedgpu_broker *b, const struct broker_client *s,
                      struct sg_wire_queued *queued);

/* --- watch.c --- */
/** Its request waits: it is told when that is over. */
void sg_watch(schedgpu_broker *b, struct broker_client *s, uint64_t ticket);
void sg_unwatch(schedgpu_broker *b, const struct broker_client *s);
/** The end of each transition: unlocks and wakes whoever was served. */
void sg_leave(schedgpu_broker *b, const struct sg_wakes *wakes);
/** What others did to the region, and who died. */
void sg_watch_tick(schedgpu_broker *b, uint64_t now_ns);

#endif
