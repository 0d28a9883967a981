/* raw.h - a client without the library, which writes any message. */
#ifndef SG_TEST_RAW_H
#define SG_TEST_RAW_H

#include "agent.h"
#include <poll.h>
#include <sys/mman.h>

static inline int raw_connect(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/agent.sock", getenv("SCHEDGPU_RUN_DIR"));
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  while (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
    if (errno != EAGAIN && errno != EINTR)
      _exit(8);
  return fd;
}

static inline struct sg_wire_question question_of(uint16_t type) {
  return (struct sg_wire_question){
      .head = {.magic = SG_WIRE_MAGIC,
               .version = type == SG_WIRE_HELLO ? 0 : SG_WIRE_VERSION,
               .type = type,
               .size = (uint32_t)(sizeof(struct sg_wire_head) + sg_wire_body(type)),
               .sequence = 7},
      .hello = {SG_WIRE_VERSION, SG_WIRE_VERSION}};
}

/** The error of the answer; 1: the agent closed the connection. */
static inline int raw_answer(int fd, struct sg_wire_answer *a, int fds[2]) {
  char control[CMSG_SPACE(2 * sizeof(int))];
  struct iovec part = {a, sizeof *a};
  struct msghdr m = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(fd, &m, 0) <= 0)
    return 1;
  if (fds && CMSG_FIRSTHDR(&m))
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&m)), 2 * sizeof(int));
  return a->rc;
}

static inline int raw_ask(int fd, const struct sg_wire_question *q, struct sg_wire_answer *a) {
  struct sg_wire_answer none;
  return send(fd, q, q->head.size, MSG_NOSIGNAL) < 0 ? 1 : raw_answer(fd, a ? a : &none, NULL);
}

/** Connected and greeted. */
static inline int raw_open(void) {
  int fd = raw_connect();
  struct sg_wire_question hello = question_of(SG_WIRE_HELLO);
  return raw_ask(fd, &hello, NULL) == SCHEDGPU_OK ? fd : -1;
}

/** Attached to the job; `page` and `fds` may be NULL. */
static inline int raw_attach(uint64_t job, struct sg_wire_answer *a, int fds[2],
                             struct sg_page **page) {
  int fd = raw_open(), got[2];
  struct sg_wire_question q = question_of(SG_WIRE_ATTACH);
  q.attach = (struct sg_wire_attach){.id = job, .kind = SCHEDGPU_JOB_SLURM};
  send(fd, &q, q.head.size, MSG_NOSIGNAL);
  if (raw_answer(fd, a, got) != SCHEDGPU_OK)
    _exit(7);
  /* as the library does: the mapping keeps the lock */
  mmap(NULL, 4096, PROT_READ, MAP_SHARED, got[0], 0);
  void *p = mmap(NULL, SG_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, got[1], 0);
  if (page)
    *page = p;
  if (fds)
    memcpy(fds, got, sizeof got);
  return fd;
}

static inline struct sg_wire_question ask_for(uint64_t bytes, uint32_t may_wait) {
  struct sg_wire_question q = question_of(SG_WIRE_ASK);
  q.ask = (struct sg_wire_ask){.bytes = bytes, .deadline_ns = UINT64_MAX, .may_wait = may_wait};
  return q;
}

/** Runs `body` as the user and returns what it returns. */
static inline int as_user(uint32_t uid, int (*body)(void)) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) {
    become(uid);
    _exit(body());
  }
  int status;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/** As as_user(), but `body` goes on: it sends one letter when it is ready, and ends when killed. */
static uint32_t hostile_uid;
static int (*hostile_act)(int write_fd);
static inline void hostile_body(int write_fd, int read_fd) {
  (void)read_fd;
  become(hostile_uid);
  _exit(hostile_act(write_fd));
}
static inline struct child hostile_start(uint32_t uid, int (*act)(int write_fd)) {
  hostile_uid = uid;
  hostile_act = act;
  struct child c = child_start(0, hostile_body);
  assert_int_equal(receive_byte(c.from), 'h');
  return c;
}

static inline int count_descriptors(pid_t pid) {
  char path[64];
  int n = 0;
  for (int fd = 0; fd < 8192; fd++) {
    snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, fd);
    n += faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  }
  return n;
}

#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                               \
      fflush(stdout);                                                                              \
      return __LINE__ % 199 + 1;                                                                   \
    }                                                                                              \
  } while (0)

#endif
