/* messages_test.c - users who send malformed messages, or descriptors with a message. */
#include "hostile.h"

static int sends_what_is_no_message(void) {
  struct sg_wire_question good = question_of(SG_WIRE_BEGIN), q;
  char big[70000] = {0};
  for (uint32_t size = 1; size < good.head.size; size++) { /* halves */
    int fd = raw_open();
    struct sg_wire_answer a;
    send(fd, &good, size, MSG_NOSIGNAL);
    EXPECT(raw_answer(fd, &a, NULL) == 1);
    close(fd);
  }
  good = question_of(SG_WIRE_QUERY);
  for (int i = 0; i < 8; i++) {
    int fd = raw_open();
    q = good;
    memcpy(big, &good, sizeof good.head);
    size_t size = good.head.size;
    struct sg_wire_answer a;
    switch (i) {
    case 0:
      q.head.magic++;
      break;
    case 1:
      q.head.version++;
      break;
    case 2:
      q.head.type = 0;
      break;
    case 3:
      q.head.type = SG_WIRE_TYPES;
      break;
    case 4:
      q.head.type = UINT16_MAX;
      break;
    case 5:
      q.head.size++;
      break;
    case 6:
      q = question_of(SG_WIRE_HELLO);
      size = q.head.size;
      break; /* twice */
    default:
      break;
    }
    if (i < 7)
      send(fd, &q, size, MSG_NOSIGNAL);
    else
      send(fd, big, sizeof big, MSG_NOSIGNAL); /* oversized */
    EXPECT(raw_answer(fd, &a, NULL) == 1);
    close(fd);
  }
  int fd = raw_connect(); /* without a greeting */
  EXPECT(raw_ask(fd, &good, NULL) == 1);
  close(fd);
  fd = raw_connect();
  q = question_of(SG_WIRE_HELLO);
  q.hello = (struct sg_wire_hello){SG_WIRE_VERSION + 1, UINT32_MAX};
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_EVERSION);
  close(fd);
  fd = raw_connect();
  q.hello = (struct sg_wire_hello){0, SG_WIRE_LOWEST - 1};
  EXPECT(raw_ask(fd, &q, NULL) == SCHEDGPU_EVERSION);
  close(fd);
  return 0;
}

static void a_malformed_message_closes_the_connection(void **state) {
  (void)state;
  assert_int_equal(as_user(ALICE, sends_what_is_no_message), 0);
}

static int sends_descriptors(void) {
  char control[CMSG_SPACE(100 * sizeof(int))] = {0};
  for (int k = 0; k < 20; k++) {
    int fd = raw_open();
    struct sg_wire_question q = question_of(SG_WIRE_QUERY);
    struct sg_wire_answer a;
    struct iovec part = {&q, q.head.size};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(100 * sizeof(int));
    for (int i = 0; i < 100; i++)
      memcpy(CMSG_DATA(c) + (size_t)i * sizeof(int), &fd, sizeof fd);
    EXPECT(sendmsg(fd, &m, MSG_NOSIGNAL) > 0);
    EXPECT(raw_answer(fd, &a, NULL) == 1);
    close(fd);
  }
  return 0;
}

static void descriptors_in_a_message_are_not_received(void **state) {
  (void)state;
  int before = count_descriptors(agent.pid);
  assert_int_equal(as_user(ALICE, sends_descriptors), 0);
  while (count_descriptors(agent.pid) > before) /* connections that are just being closed */
    nap_ms(1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      hostile(a_malformed_message_closes_the_connection),
      hostile(descriptors_in_a_message_are_not_received),
  };
  alarm(600);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
