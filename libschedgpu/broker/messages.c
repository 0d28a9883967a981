/* messages.c - checks that a message is well formed, and calls the function that answers it. */
#include "broker.h"
#include <string.h>
#include <unistd.h>

#define BODY(member) sizeof(((struct sg_wire_answer *)0)->member)

static bool well_formed(const struct connection *c, const struct sg_wire_question *q, size_t size) {
  const struct sg_wire_head *h = &q->head;
  if (size < sizeof *h || h->magic != SG_WIRE_MAGIC || h->size != size || h->type < SG_WIRE_HELLO ||
      h->type >= SG_WIRE_TYPES || size != sizeof *h + sg_wire_body_in(h->version, h->type))
    return false;
  bool hello = h->type == SG_WIRE_HELLO;
  return hello == (c->version == 0) && h->version == c->version;
}

static int greet(struct connection *c, const struct sg_wire_hello *hello, uint32_t *version) {
  if (hello->lowest > SG_WIRE_VERSION || hello->highest < SG_WIRE_LOWEST ||
      hello->lowest > hello->highest)
    return SCHEDGPU_EVERSION;
  c->version = hello->highest < SG_WIRE_VERSION ? hello->highest : SG_WIRE_VERSION;
  *version = c->version;
  return SCHEDGPU_OK;
}

/** Cost of a message beyond one. Messages that need files or many records cost more. */
static uint32_t surcharge(uint32_t type) {
  switch (type) {
  case SG_WIRE_ATTACH:
  case SG_WIRE_RESUME:
  case SG_WIRE_DEVICES:
  case SG_WIRE_USE:
    return 15;
  case SG_WIRE_BEGIN:
  case SG_WIRE_END:
    return 63;
  default:
    return 0;
  }
}

static int detach(schedgpu_broker *b, struct connection *c) {
  if (!c->client)
    return SCHEDGPU_ENOJOB;
  sg_serve_detach(b, c->client);
  return SCHEDGPU_OK;
}

/**
 * Answers a message of an attached process; `*body` gets the size of the answer's body in bytes.
 */
static int ask_client(schedgpu_broker *b, struct broker_client *s, const struct sg_wire_question *q,
                      struct sg_wire_answer *a, size_t *body) {
  int rc = s ? sg_restore_record(b, s) : SCHEDGPU_ENOJOB;
  if (rc != SCHEDGPU_OK)
    return rc;
  switch (q->head.type) {
  case SG_WIRE_ASK:
    *body = BODY(queued);
    return sg_serve_ask(b, s, &q->ask, q->head.sequence, &a->queued);
  case SG_WIRE_SETTLE:
    return sg_serve_settle(b, s, q->settle.ticket, q->head.sequence);
  case SG_WIRE_SYNC:
    return sg_serve_sync(b, s);
  case SG_WIRE_END_TURN:
    return sg_serve_end_turn(b, s);
  case SG_WIRE_LEAVE_LINE:
    return sg_serve_leave_line(b, s);
  case SG_WIRE_QUERY:
    *body = BODY(info);
    return sg_serve_query(b, s, q->device.device, &a->info);
  default: /* SG_WIRE_HOLDERS: all other types are handled elsewhere */
    *body = BODY(text);
    return sg_serve_holders(b, s, q->device.device, a->text);
  }
}

static size_t body_of_attached(const struct connection *c) {
  return c->version < SG_WIRE_TURNS ? offsetof(struct sg_wire_attached, lane) : BODY(attached);
}

static int ask_connection(schedgpu_broker *b, struct connection *c,
                          const struct sg_wire_question *q, struct sg_wire_answer *a, size_t *body,
                          int fds[2]) {
  if (c->client && c->client->renewed_fd >= 0)
    sg_broker_client_renew_file(b, c->client);
  if (surcharge(q->head.type) > 0 || q->head.type == SG_WIRE_DETACH)
    sg_restore_records(b); /* the set of slots changes: no damaged slot may look free */
  switch (q->head.type) {
  case SG_WIRE_HELLO:
    *body = BODY(version) + sizeof(uint32_t);
    return greet(c, &q->hello, &a->version);
  case SG_WIRE_ATTACH:
    *body = body_of_attached(c);
    return sg_serve_attach(b, c, &q->attach, &a->attached, fds);
  case SG_WIRE_RESUME:
    *body = body_of_attached(c);
    return sg_serve_resume(b, c, &q->resume, &a->attached, fds);
  case SG_WIRE_DETACH:
    return detach(b, c);
  case SG_WIRE_DEVICES:
    *body = BODY(node);
    return sg_serve_devices(b, &a->node);
  case SG_WIRE_BEGIN:
    *body = BODY(begun);
    return sg_serve_begin(b, c, &q->begin, &a->begun, fds);
  case SG_WIRE_END:
    return sg_serve_end(b, c, &q->end);
  case SG_WIRE_USE:
    *body = BODY(use);
    return sg_serve_use(b, c, &q->end, &a->use);
  default:
    return ask_client(b, c->client, q, a, body);
  }
}

bool sg_message(schedgpu_broker *b, struct connection *c, const struct sg_wire_question *q,
                size_t size) {
  struct sg_wire_answer a;
  size_t body = 0;
  int fds[2] = {-1, -1};
  if (!well_formed(c, q, size))
    return false;
  sg_user_charge(c->user, surcharge(q->head.type));
  memset(&a, 0, sizeof a); /* the stack may hold an earlier answer to another user */
  a.rc = ask_connection(b, c, q, &a, &body, fds);
  bool queued =
      q->head.type == SG_WIRE_ASK && (a.rc == SCHEDGPU_EWOULDBLOCK || a.rc == SCHEDGPU_ETURN);
  if (a.rc != SCHEDGPU_OK && !queued)
    body = 0;
  bool sent = sg_answer(b, c, &q->head, &a, body, fds[0] >= 0 ? fds : NULL);
  for (int i = 0; i < 2; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  return sent;
}
