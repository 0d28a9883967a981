/*
 * Compares the byte map in docs/reference/protocol.md with the compiler's. `protocol_test --print`
 * prints the table, for use after a change of wire.h.
 */
#include "../support/fixture.h"
#include "../../shell/wire/wire.h"

#define PAGE "../docs/reference/protocol.md"

struct field {
  const char *name;
  size_t offset, size;
};

#define FIELD(name, type, member)                                                                  \
  {                                                                                                \
    name "." #member, offsetof(struct sg_wire_##type, member),                                     \
        sizeof(((struct sg_wire_##type *)0)->member)                                               \
  }
#define HEAD(member) FIELD("head", head, member)
/** Bodies come after the head. */
#define QUESTION(part, member)                                                                     \
  {                                                                                                \
#part "." #member, offsetof(struct sg_wire_question, part.member),                             \
        sizeof(((struct sg_wire_question *)0)->part.member)                                        \
  }
#define ANSWER(name, member)                                                                       \
  { name, offsetof(struct sg_wire_answer, member), sizeof(((struct sg_wire_answer *)0)->member) }
#define PAGE_FIELD(member)                                                                         \
  { "page." #member, offsetof(struct sg_page, member), sizeof(((struct sg_page *)0)->member) }

static const struct field fields[] = {
    HEAD(magic),
    HEAD(version),
    HEAD(type),
    HEAD(size),
    HEAD(sequence),
    QUESTION(hello, lowest),
    QUESTION(hello, highest),
    QUESTION(attach, id),
    QUESTION(attach, kind),
    QUESTION(resume, job),
    QUESTION(resume, slot),
    QUESTION(resume, gen),
    QUESTION(resume, contexts),
    QUESTION(resume, turn),
    QUESTION(resume, in_use),
    QUESTION(resume, wait),
    QUESTION(ask, bytes),
    QUESTION(ask, deadline_ns),
    QUESTION(ask, subject),
    QUESTION(ask, device),
    QUESTION(ask, may_wait),
    QUESTION(settle, ticket),
    QUESTION(device, device),
    QUESTION(begin, budget_bytes),
    QUESTION(begin, wait_ns),
    QUESTION(begin, mode),
    QUESTION(begin, device_mask),
    QUESTION(begin, flags),
    QUESTION(begin, processes),
    QUESTION(begin, priority),
    QUESTION(begin, lane),
    QUESTION(begin, name),
    QUESTION(begin, persistent_bytes),
    QUESTION(begin, length_ns),
    QUESTION(begin, share),
    QUESTION(end, id),
    ANSWER("answer.rc", rc),
    ANSWER("answer.version", version),
    ANSWER("answer.attached.slot", attached.slot),
    ANSWER("answer.attached.gen", attached.gen),
    ANSWER("answer.attached.mode", attached.mode),
    ANSWER("answer.attached.device_mask", attached.device_mask),
    ANSWER("answer.attached.flags", attached.flags),
    ANSWER("answer.attached.present", attached.present),
    ANSWER("answer.attached.begun_ns", attached.begun_ns),
    ANSWER("answer.attached.wait_ns", attached.wait_ns),
    ANSWER("answer.attached.priority", attached.priority),
    ANSWER("answer.attached.lost", attached.lost),
    ANSWER("answer.attached.gpu", attached.gpu),
    ANSWER("answer.attached.lane", attached.lane),
    ANSWER("answer.queued.ticket", queued.ticket),
    ANSWER("answer.queued.request_bytes", queued.request_bytes),
    ANSWER("answer.queued.free_bytes", queued.free_bytes),
    ANSWER("answer.queued.place", queued.place),
    ANSWER("answer.queued.holders", queued.holders),
    ANSWER("answer.queued.holder_uid", queued.holder_uid),
    ANSWER("answer.queued.holder_job_id", queued.holder_job_id),
    ANSWER("answer.info", info),
    ANSWER("answer.text", text),
    ANSWER("answer.node.present", node.present),
    ANSWER("answer.node.gpu", node.gpu),
    ANSWER("answer.begun.id", begun.id),
    ANSWER("answer.begun.budget_bytes", begun.budget_bytes),
    ANSWER("answer.begun.priority", begun.priority),
    ANSWER("answer.use", use),
    PAGE_FIELD(client.contexts),
    PAGE_FIELD(client.lease),
    PAGE_FIELD(client.peak_units),
    PAGE_FIELD(client.refused),
    PAGE_FIELD(sync_wanted),
    PAGE_FIELD(taken),
    PAGE_FIELD(wait_state),
    PAGE_FIELD(slot),
    PAGE_FIELD(wait),
    PAGE_FIELD(turn_waits),
    PAGE_FIELD(turn_due),
    PAGE_FIELD(lane.turn),
    PAGE_FIELD(lane.idle_since_ns),
    PAGE_FIELD(lane.begun_ns),
    PAGE_FIELD(lane.busy_ns),
    PAGE_FIELD(lane.waiting),
};
#define FIELDS (sizeof fields / sizeof *fields)

static void row(char *text, size_t size, const struct field *f) {
  snprintf(text, size, "| `%s` | %zu | %zu |\n", f->name, f->offset, f->size);
}

static void the_page_agrees_with_the_compiler(void **state) {
  (void)state;
  char text[128], *page = calloc(1, 1 << 16);
  FILE *file = fopen(PAGE, "r");
  assert_non_null(page);
  assert_non_null(file);
  assert_true(fread(page, 1, (1 << 16) - 1, file) > 0);
  fclose(file);
  for (size_t i = 0; i < FIELDS; i++) {
    row(text, sizeof text, &fields[i]);
    if (!strstr(page, text))
      fail_msg(PAGE " lacks or contradicts: %s", text);
  }
  free(page);
}

/** Padding inside a message, or a page in two pieces, would have undefined content. */
static void no_message_exceeds_its_limit(void **state) {
  (void)state;
  assert_true(sizeof(struct sg_page) <= SG_PAGE_SIZE);
  assert_true(sizeof(struct sg_wire_question) <= 1024);
  assert_true(sizeof(struct sg_wire_answer) <= 2048);
  for (uint32_t type = 0; type < SG_WIRE_TYPES + 2; type++)
    assert_true(sizeof(struct sg_wire_head) + sg_wire_body(type) <=
                sizeof(struct sg_wire_question));
}

int main(int argc, char **argv) {
  char text[128];
  if (argc > 1 && strcmp(argv[1], "--print") == 0) {
    for (size_t i = 0; i < FIELDS; i++) {
      row(text, sizeof text, &fields[i]);
      fputs(text, stdout);
    }
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_agrees_with_the_compiler),
      cmocka_unit_test(no_message_exceeds_its_limit),
  };
  return cmocka_run_group_tests_name("protocol", tests, NULL, NULL);
}
