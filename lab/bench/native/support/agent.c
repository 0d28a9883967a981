/* agent.c - see agent.h */
#include "agent.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static const char *const files[] = {"schedgpu.conf", "devices.conf", "agent.log"};

static FILE *file_in(const char *folder, const char *name) {
  char path[AGENT_FOLDER + 32];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  MUST(file);
  return file;
}

static void configure(const char *folder, const struct node *node) {
  FILE *conf = file_in(folder, files[0]), *devices = file_in(folder, files[1]);
  fprintf(conf, "RunDir=%s\n", node->dir);
  fprintf(devices,
          "NodeName=gpu1 Device=0 UUID=GPU-test-0 File=/dev/nvidia0 TotalBytes=%llu "
          "ReservedBytes=0 ContextBytes=0 Virtual=0-3\n",
          (unsigned long long)(10 * GIB));
  MUST(fclose(conf) == 0 && fclose(devices) == 0);
}

/** A socket as systemd makes it; its name goes into NOTIFY_SOCKET. */
static int notify_socket(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char name[64];
  int n = snprintf(name, sizeof name, "@schedgpu-bench-%d", (int)getpid());
  memcpy(address.sun_path, name, (size_t)n);
  address.sun_path[0] = 0;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n);
  MUST(fd >= 0 && bind(fd, (struct sockaddr *)&address, length) == 0);
  setenv("NOTIFY_SOCKET", name, 1);
  return fd;
}

static void await_ready(int fd) {
  char text[256];
  ssize_t n;
  struct timeval timeout = {300, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  do {
    n = recv(fd, text, sizeof text - 1, 0);
    MUST(n > 0);
    text[n] = 0;
  } while (!strstr(text, "READY=1"));
  close(fd);
  unsetenv("NOTIFY_SOCKET");
}

static void be_agent(const char *folder) {
  char conf[AGENT_FOLDER + 32], log[AGENT_FOLDER + 32];
  snprintf(conf, sizeof conf, "%s/%s", folder, files[0]);
  snprintf(log, sizeof log, "%s/%s", folder, files[2]);
  MUST(freopen(log, "w", stderr) && dup2(fileno(stderr), STDOUT_FILENO) == STDOUT_FILENO);
  unsetenv("SCHEDGPU_RUN_DIR");
  execl(AGENT, AGENT, "agent", "--config", conf, "--node", "gpu1", (char *)NULL);
  _exit(127);
}

bool agent_is_built(void) {
  return access(AGENT, X_OK) == 0;
}

struct agent agent_start_in(const char *folder) {
  struct agent agent;
  snprintf(agent.folder, sizeof agent.folder, "%s", folder);
  int fd = notify_socket();
  agent.pid = fork();
  MUST(agent.pid >= 0);
  if (agent.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setsid(); /* as a service; Ctrl-C is for the measuring process, which then ends the agent */
    be_agent(agent.folder);
  }
  await_ready(fd);
  return agent;
}

struct agent agent_start(const struct node *node) {
  char folder[] = "/tmp/schedgpu-bench-XXXXXX";
  MUST(mkdtemp(folder));
  configure(folder, node);
  return agent_start_in(folder);
}

void agent_forget(const char *run_dir) {
  static const char *const left[] = {"agent.lock",   "answer.lock",    "sight.sock",
                                     "history.db",   "history.db-wal", "history.db-shm",
                                     "device-notes", "learned",        "learned.persistent",
                                     "limits",       "requeued"};
  char path[128];
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
    snprintf(path, sizeof path, "%s/%s", run_dir, left[i]);
    unlink(path);
  }
}

void agent_stop(struct agent *agent, const struct node *node) {
  int status;
  kill(agent->pid, SIGTERM);
  MUST(waitpid(agent->pid, &status, 0) == agent->pid && WIFEXITED(status) &&
       WEXITSTATUS(status) == 0);
  agent_forget(node->dir);
}

void agent_end(struct agent *agent, const struct node *node) {
  char path[AGENT_FOLDER + 32];
  agent_stop(agent, node);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", agent->folder, files[i]);
    unlink(path);
  }
  rmdir(agent->folder);
}
