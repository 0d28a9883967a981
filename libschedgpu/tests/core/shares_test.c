/* shares_test.c - what one user may take of the tables: docs/reference/rules.md, "Shares of the
 * tables". */
#include "../../core/rules/shares.h"
#include "../support/lanes.h"

#define ALICE 1001
#define BOB 1002
#define CAROL 1003

static uint64_t last_id;

static int begin_of(struct sg_region *r, uint32_t kind, uint32_t uid) {
  struct sg_wakes wakes = {0};
  struct schedgpu_job_spec s = job_spec(++last_id, SCHEDGPU_MODE_ONDEMAND, 0, 50);
  s.kind = kind;
  s.uid = uid;
  return sg_job_begin(r, &s, SG_NONE, 1, &wakes);
}

static uint32_t begins_until_full(struct sg_region *r, uint32_t kind, uint32_t uid) {
  uint32_t n = 0;
  int rc;
  while ((rc = begin_of(r, kind, uid)) == SCHEDGPU_OK)
    n++;
  assert_int_equal(rc, SCHEDGPU_EFULL);
  return n;
}

/** Half the table is kept for jobs of Slurm, and of the other half each takes half of what is left.
 */
static void jobs_of_users_leave_some_for_others(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_RUN, ALICE), 128);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_RUN, BOB), 64);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_RUN, CAROL), 32);
  assert_int_equal(begin_of(r, SCHEDGPU_JOB_RUN, ALICE), SCHEDGPU_EFULL);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_SLURM, ALICE), 512 - 128 - 64 - 32);
  fixture_free(r);
}

static void root_and_slurm_may_take_the_whole_table(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_RUN, 0), 512);
  fixture_free(r);
  r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_SLURM, ALICE), 512);
  fixture_free(r);
}

static void a_job_that_ended_makes_room_for_one(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_wakes wakes = {0};
  begins_until_full(r, SCHEDGPU_JOB_RUN, ALICE);
  assert_int_equal(sg_job_end(r, 7, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(begins_until_full(r, SCHEDGPU_JOB_RUN, ALICE), 1);
  fixture_free(r);
}

/** In the first free slots from `from` on. */
static uint32_t attaches_until_full(struct sg_region *r, uint32_t from, uint32_t uid) {
  uint32_t n = 0;
  for (; sg_may_attach(r, uid) && from + n < SG_SLOTS; n++) {
    r->client[from + n].gen++;
    assert_int_equal(sg_client_attach(r, from + n, SG_NONE, uid, 7, 1), SCHEDGPU_OK);
  }
  return n;
}

static void processes_of_users_leave_some_for_others(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  uint32_t slot = SG_ADMIN_SLOTS;
  slot += attaches_until_full(r, slot, ALICE);
  assert_int_equal(slot - SG_ADMIN_SLOTS, SCHEDGPU_MAX_CLIENTS / 2);
  uint32_t bobs = attaches_until_full(r, slot, BOB);
  assert_int_equal(bobs, SCHEDGPU_MAX_CLIENTS / 4);
  assert_true(sg_may_attach(r, CAROL));
  assert_int_equal(attaches_until_full(r, slot + bobs, 0), SCHEDGPU_MAX_CLIENTS / 4);
  fixture_free(r);
}

/** All processes are the same user inside of their containers: root, or one like Carol. */
static void processes_count_to_the_user_of_their_job(void **state) {
  (void)state;
  static const uint32_t inside[] = {0, CAROL};
  for (int i = 0; i < 2; i++) {
    struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
    assert_int_equal(begin_of(r, SCHEDGPU_JOB_SLURM, ALICE), SCHEDGPU_OK);
    uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, last_id), slot = SG_ADMIN_SLOTS;
    for (; sg_may_attach(r, ALICE); slot++) {
      r->client[slot].gen++;
      assert_int_equal(sg_client_attach(r, slot, job, inside[i], 7, 1), SCHEDGPU_OK);
    }
    assert_int_equal(slot - SG_ADMIN_SLOTS, SCHEDGPU_MAX_CLIENTS / 2);
    assert_int_equal(attaches_until_full(r, slot, CAROL), SCHEDGPU_MAX_CLIENTS / 4);
    fixture_free(r);
  }
}

/** Begins a small lane job of the user, whose process wants its turn. */
static void lane_job_of(struct sg_region *r, uint32_t slot, uint32_t uid, int turn) {
  struct schedgpu_job_spec s = lane_spec(slot + 1, FAIR, MIB, 0);
  s.uid = uid;
  join_as(r, slot, &s);
  begin_iteration(r, slot, turn);
}

static uint32_t lanes(const struct sg_region *r) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < SG_LANES; i++)
    n += r->lane[i].members != 0;
  return n;
}

/** Further jobs of the user take turns in lanes that exist. */
static void lanes_of_users_leave_some_for_others(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint32_t i = 0; i < SG_LANES / 2; i++)
    lane_job_of(r, i, ALICE, SCHEDGPU_OK);
  assert_int_equal(lanes(r), SG_LANES / 2);
  lane_job_of(r, 100, ALICE, SCHEDGPU_ETURN);
  assert_int_equal(lanes(r), SG_LANES / 2);
  lane_job_of(r, 200, BOB, SCHEDGPU_OK);
  lane_job_of(r, 201, 0, SCHEDGPU_OK);
  assert_int_equal(lanes(r), SG_LANES / 2 + 2);
  fixture_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jobs_of_users_leave_some_for_others),
      cmocka_unit_test(root_and_slurm_may_take_the_whole_table),
      cmocka_unit_test(a_job_that_ended_makes_room_for_one),
      cmocka_unit_test(processes_of_users_leave_some_for_others),
      cmocka_unit_test(processes_count_to_the_user_of_their_job),
      cmocka_unit_test(lanes_of_users_leave_some_for_others),
  };
  return cmocka_run_group_tests_name("shares", tests, NULL, NULL);
}
