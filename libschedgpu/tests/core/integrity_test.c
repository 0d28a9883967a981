/*
 * integrity_test.c - damage to the region: each sealed byte, each table, and thousands of random
 * bytes (SG_SEED). After the repair every invariant holds again, and every reservation that can be
 * known is known.
 */
#include "../support/fixture.h"
#include "../support/random.h"
#include "../../core/repair/integrity.h"

#define PEAK SCHEDGPU_MODE_PEAK
#define ONDEMAND SCHEDGPU_MODE_ONDEMAND
#define WAITS 2 /* the slot of the process that waits */

static struct sg_region *sound, *r;
static struct sg_checkpoint *checkpoint;

/** Two devices; jobs of each mode that hold memory, and one that waits. */
static int set_up(void **state) {
  (void)state;
  sound = fixture_new(2, GIB / 4, SCHEDGPU_POLICY_FIFO);
  r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
  checkpoint = calloc(1, sizeof *checkpoint);
  assert_non_null(r);
  assert_non_null(checkpoint);
  join(sound, 0, PEAK, 4 * GIB, 50);
  take_now(sound, 0, GIB);
  join(sound, 1, ONDEMAND, 0, 50);
  take_now(sound, 1, 2 * GIB);
  join(sound, 2, ONDEMAND, 0, 50);
  queue_up(sound, 2, 6 * GIB);
  struct schedgpu_job_spec gate = job_spec(9, SCHEDGPU_MODE_GATE, 2 * GIB, 50);
  gate.device_mask = 2;
  gate.budget_bytes[1] = 2 * GIB;
  begin(sound, &gate);
  sg_checkpoint_take(sound, checkpoint);
  for (uint32_t slot = 0; slot < 3; slot++) /* as the shell does */
    sound->client[slot].gen_seal = sound->client[slot].agen_seal =
        sg_gen_seal(slot, sound->client[slot].agen);
  memcpy(r, sound, sizeof *r);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  fixture_free(sound);
  free(r);
  free(checkpoint);
  return 0;
}

/** Repairs as the shell does under the lock (shell/region/check.c), without processes. */
static int mend(struct sg_checkpoint *c, struct sg_report *report) {
  struct sg_wakes wakes = {0};
  *report = (struct sg_report){0};
  int rc = sg_repair(r, c, report, &wakes);
  if (rc == SCHEDGPU_OK)
    sg_repair_finish(r, 1, report, &wakes);
  return rc;
}

static void is_clean(void) {
  struct sg_report report = {0};
  char text[200];
  sg_damage(r, &report);
  if (report.findings != 0)
    fail_msg("still damaged: %s", report.text);
  if (sg_check(r, text, sizeof text) != SCHEDGPU_OK && !strstr(text, "over-committed"))
    fail_msg("invariant broken: %s", text);
}

static bool is_found(void) {
  struct sg_report report = {0};
  sg_damage(r, &report);
  return report.findings > 0;
}

/** Flips each byte of [first, end) of the region: the damage is found and repaired. */
static void each_byte(size_t first, size_t end) {
  struct sg_report report;
  for (size_t at = first; at < end; at++)
    for (int bit = 0; bit < 8; bit += 7) {
      memcpy(r, sound, sizeof *r);
      ((unsigned char *)r)[at] ^= (unsigned char)(1u << bit);
      if (!is_found())
        fail_msg("byte %zu: not found", at);
      assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
      is_clean();
      if (memcmp((char *)r + first, (char *)sound + first, end - first) != 0)
        fail_msg("byte %zu: not put back", at);
    }
}

static void each_byte_of_the_header_is_restored(void **state) {
  (void)state;
  each_byte(0, offsetof(struct sg_header, seal) + 8);
}

static void each_byte_of_a_device_is_restored(void **state) {
  (void)state;
  size_t device = offsetof(struct sg_region, device[1]);
  each_byte(device, device + offsetof(struct sg_device, used_bytes));
  each_byte(device + offsetof(struct sg_device, uuid), device + sizeof(struct sg_device) - 7);
}

static void an_absent_device_cannot_appear(void **state) {
  (void)state;
  size_t device = offsetof(struct sg_region, device[5]);
  each_byte(device, device + offsetof(struct sg_device, used_bytes));
}

static void each_byte_of_a_job_is_restored(void **state) {
  (void)state;
  for (uint32_t j = 0; j < 4; j++) {
    size_t job = offsetof(struct sg_region, job) + j * sizeof(struct sg_job);
    each_byte(job + offsetof(struct sg_job, mode), job + offsetof(struct sg_job, held_mask));
    each_byte(job + offsetof(struct sg_job, processes), job + offsetof(struct sg_job, clients));
    each_byte(job + offsetof(struct sg_job, kind), job + offsetof(struct sg_job, reserved_bytes));
  }
}

static void a_restored_job_still_holds_its_budget(void **state) {
  struct sg_report report;
  (void)state;
  memset(&r->job[0], 0xa5, sizeof r->job[0]);
  assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(report.jobs_ended, 0);
  assert_int_equal(r->job[0].held_mask, 1);
  assert_int_equal(r->device[0].used_bytes, sound->device[0].used_bytes);
}

static void a_wiped_job_table_is_restored(void **state) {
  struct sg_report report;
  (void)state;
  memset(r->job, 0, sizeof r->job);
  assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
  is_clean();
  for (uint32_t j = 0; j < 4; j++)
    assert_memory_equal(r->job[j].budget_bytes, sound->job[j].budget_bytes, 128);
  assert_int_equal(r->device[0].used_bytes, sound->device[0].used_bytes);
  /* a gate's programs do not attach: it may hold its budget */
  assert_int_equal(r->job[3].held_mask, 2);
}

/** The job's kind is all that is left. A record of an ended job differs from that. */
static void zeros_for_state_and_seal_are_not_the_end_of_a_job(void **state) {
  struct sg_report report;
  (void)state;
  for (int with_keys = 0; with_keys < 2; with_keys++) {
    memcpy(r, sound, sizeof *r);
    r->job[0].state = SG_FREE;
    r->job[0].seal = 0;
    if (with_keys)
      memset(r->h.job_key, 0, sizeof r->h.job_key);
    assert_true(is_found());
    assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
    is_clean();
    assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_SLURM, 1), 0);
    assert_int_equal(r->device[0].used_bytes, sound->device[0].used_bytes);
  }
}

static void without_a_checkpoint_a_damaged_job_ends_and_the_others_stay(void **state) {
  struct sg_report report;
  (void)state;
  r->job[1].budget_bytes[0] ^= 4;
  assert_int_equal(mend(NULL, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(report.jobs_ended, 1);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_SLURM, 2), SG_NONE);
  assert_int_equal(r->job[0].held_mask, 1);
  assert_int_not_equal(sg_job_find(r, SCHEDGPU_JOB_SLURM, 3), SG_NONE);
}

static void without_a_checkpoint_header_and_devices_are_refused(void **state) {
  struct sg_report report;
  (void)state;
  r->device[0].total_bytes ^= 512;
  assert_int_equal(mend(NULL, &report), SCHEDGPU_ECORRUPT);
  memcpy(r, sound, sizeof *r);
  r->h.grace_ns ^= 1;
  assert_int_equal(mend(NULL, &report), SCHEDGPU_ECORRUPT);
}

/** A process killed during a change: each field has its old or its new value. */
static void an_interrupted_change_needs_no_checkpoint(void **state) {
  struct sg_report report;
  (void)state;
  sg_unseal_header(r);
  r->h.policy = SCHEDGPU_POLICY_MMU;
  sg_unseal_device(r, 1);
  r->device[1].context_bytes = GIB / 2;
  sg_unseal_job(r, 2);
  r->job[2].priority = 90;
  assert_true(is_found());
  assert_int_equal(mend(NULL, &report), SCHEDGPU_OK);
  assert_int_equal(report.jobs_ended, 0);
  is_clean();
  assert_int_equal(r->h.policy, SCHEDGPU_POLICY_MMU);
  assert_int_equal(r->job[2].priority, 90);
}

static void an_ended_job_is_not_restored(void **state) {
  struct sg_report report;
  struct sg_wakes wakes = {0};
  (void)state;
  assert_int_equal(sg_job_end(r, 3, 1, &wakes), SCHEDGPU_OK);
  /* so that the repair uses the checkpoint, which still has the job */
  r->job[0].budget_bytes[0] ^= 4;
  assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_SLURM, 9), SG_NONE);
  is_clean();
}

/** The checkpoint is older. Another job has used the record meanwhile and has ended as well. */
static void an_ended_job_is_not_restored_to_a_reused_record(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_report report;
  uint32_t record = sg_job_find(r, SCHEDGPU_JOB_SLURM, 9);
  assert_int_equal(sg_job_end(r, record, 1, &wakes), SCHEDGPU_OK);
  struct schedgpu_job_spec next = job_spec(10, PEAK, GIB, 50);
  assert_int_equal(begin(r, &next), record);
  assert_int_equal(sg_job_end(r, record, 1, &wakes), SCHEDGPU_OK);
  r->device[0].total_bytes ^= 512; /* damage for which the repair needs the checkpoint */
  assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
  assert_int_equal(sg_job_find(r, SCHEDGPU_JOB_SLURM, 9), SG_NONE);
  assert_int_equal(r->job[record].state, SG_FREE);
  is_clean();
}

static void an_impossible_state_is_repaired(void **state) {
  struct sg_report report;
  (void)state;
  for (uint32_t value = 3; value < 8; value++) {
    r->job[1].state = value;
    r->client[0].state = value;
    assert_true(is_found());
    assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
    is_clean();
    assert_int_equal(r->device[0].used_bytes, sound->device[0].used_bytes);
  }
}

static void an_impossible_request_is_dropped_and_its_client_woken(void **state) {
  struct sg_report report = {0};
  struct sg_wakes wakes = {0};
  (void)state;
  r->waiter[WAITS].device = 77;
  assert_int_equal(sg_repair(r, NULL, &report, &wakes), SCHEDGPU_OK);
  assert_int_equal(r->waiter[WAITS].state, SG_WAITER_FREE);
  assert_int_equal(wakes.count, 1);
  is_clean();
}

static void excess_leases_are_lowered(void **state) {
  struct sg_report report;
  (void)state;
  add_process(r, 5, 0);
  sg_lease_grow(&r->client[5], 0, GIB / 512, 0); /* the first has leased all of it */
  assert_true(is_found());
  assert_int_equal(mend(checkpoint, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(sg_job_in_use(r, 0, 0), GIB);
}

static void a_damaged_ticket_changes_no_other_place(void **state) {
  struct sg_report report;
  (void)state;
  uint64_t ticket = r->waiter[WAITS].ticket;
  r->h.ticket = 0;
  assert_true(is_found());
  assert_int_equal(mend(NULL, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(r->waiter[WAITS].state, SG_WAITING);
  assert_int_equal(r->h.ticket, ticket);
  r->waiter[WAITS].ticket = UINT64_MAX - 1;
  assert_int_equal(mend(NULL, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(r->waiter[WAITS].state, SG_WAITER_FREE);
  assert_int_equal(r->h.ticket, ticket);
  r->h.lane_ticket = UINT64_MAX;
  assert_true(is_found());
  assert_int_equal(mend(NULL, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(r->h.lane_ticket, 0);
}

static void a_request_in_the_place_of_another_process_is_dropped(void **state) {
  struct sg_report report;
  (void)state;
  add_process(r, 5, WAITS);
  r->waiter[5] = r->waiter[WAITS];
  assert_true(is_found());
  assert_int_equal(mend(NULL, &report), SCHEDGPU_OK);
  is_clean();
  assert_int_equal(r->waiter[WAITS].state, SG_WAITING);
  assert_int_equal(r->waiter[5].state, SG_WAITER_FREE);
}

static void unrecorded_memory_stays_reserved_for_orphans(void **state) {
  struct sg_saved_caches before;
  struct sg_report report;
  struct sg_wakes wakes = {0};
  struct sg_live_slot live[] = {{.slot = 0}, {.slot = 1}};
  (void)state;
  sg_caches_save(r, &before);
  memset(r->client, 0, sizeof r->client);
  memset(r->waiter, 0, sizeof r->waiter);
  report = (struct sg_report){0};
  assert_int_equal(sg_repair(r, checkpoint, &report, &wakes), SCHEDGPU_OK);
  sg_orphans_keep(r, live, 2, &before, 1);
  is_clean();
  assert_int_equal(r->device[0].used_bytes, sound->device[0].used_bytes);

  struct sg_backup one = {.slot = 1, .gen = 1, .kind = SCHEDGPU_JOB_SLURM, .id = 2, .begun_ns = 1};
  one.lease[0] = (2 * GIB / 512) << 32 | (2 * GIB / 512);
  sg_backup_write(r, &one, 1, &wakes);
  is_clean();
  assert_true(r->device[0].used_bytes >= sound->device[0].used_bytes - GIB / 4);
  assert_true(r->device[0].used_bytes <= sound->device[0].used_bytes); /* nothing counts twice */
  assert_true(sg_backup_matches(r, &one));
  assert_int_equal(sg_job_in_use(r, 1, 0), 2 * GIB);

  struct sg_backup peak = {.slot = 0, .gen = 1, .kind = SCHEDGPU_JOB_SLURM, .id = 1, .begun_ns = 1};
  peak.lease[0] = (GIB / 512) << 32 | (GIB / 512);
  sg_backup_write(r, &peak, 1, &wakes);
  is_clean();
  assert_int_equal(r->job[0].held_mask, 1);
  assert_int_equal(sg_job_find(r, SG_ORPHAN_KIND, 0), SG_NONE); /* no orphans are left */
}

static void the_last_orphan_releases_the_rest(void **state) {
  struct sg_saved_caches before;
  struct sg_report report = {0};
  struct sg_wakes wakes = {0};
  struct sg_live_slot live[] = {{.slot = 0}, {.slot = 1}};
  (void)state;
  sg_caches_save(r, &before);
  memset(r->client, 0, sizeof r->client);
  memset(r->waiter, 0, sizeof r->waiter);
  assert_int_equal(sg_repair(r, checkpoint, &report, &wakes), SCHEDGPU_OK);
  sg_orphans_keep(r, live, 2, &before, 1);
  sg_orphans_leave(r, 0, 1, &wakes);
  is_clean();
  assert_int_equal(r->device[0].used_bytes, sound->device[0].used_bytes); /* now orphan memory */
  sg_orphans_leave(r, 1, 1, &wakes);
  is_clean();
  assert_int_equal(r->device[0].used_bytes, 0);
}

static void a_checkpoint_of_another_region_or_of_other_bytes_is_none(void **state) {
  (void)state;
  uint64_t size = checkpoint->size;
  assert_true(sg_checkpoint_valid(checkpoint, size, 1));
  assert_false(sg_checkpoint_valid(checkpoint, size, 2));
  assert_false(sg_checkpoint_valid(checkpoint, size - 1, 1));
  for (uint64_t at = 0; at < size; at++) {
    ((unsigned char *)checkpoint)[at] ^= 0x10;
    if (sg_checkpoint_valid(checkpoint, size, 1))
      fail_msg("byte %llu of the checkpoint", (unsigned long long)at);
    ((unsigned char *)checkpoint)[at] ^= 0x10;
  }
}

/** Damages single bytes, or wipes or fills a range. Half of the damage hits records in use. */
static void damage_at_random(void) {
  size_t size = sizeof *r;
  for (uint64_t i = draw(24) + 1; i > 0; i--) {
    size_t table[] = {offsetof(struct sg_region, job), offsetof(struct sg_region, client),
                      offsetof(struct sg_region, waiter), 0};
    size_t at = draw(2) ? draw(size) : table[draw(4)] + draw(4000);
    ((unsigned char *)r)[at % size] = (unsigned char)draw(256);
  }
  if (draw(4) == 0) {
    size_t at = draw(size), length = draw(size / 8) % (size - at);
    memset((char *)r + at, draw(2) ? 0 : (int)draw(256), length);
  }
}

static void use_somehow(void) {
  struct sg_wakes wakes = {0};
  for (uint32_t slot = 0; slot < 3; slot++) {
    struct sg_request q = {.client = slot, .bytes = GIB, .may_wait = draw(2)};
    uint32_t waiter;
    sg_ask(r, &q, 1, &waiter, &wakes);
    sg_give_back(r, slot, 0, GIB, 1, &wakes);
    if (waiter != SG_NONE)
      sg_settle(r, slot, r->waiter[slot].ticket, 1, &wakes);
  }
  sg_client_remove(r, (uint32_t)draw(4), 1, &wakes);
}

static void random_damage_is_survived_and_repaired(void **state) {
  struct sg_report report;
  uint64_t first = seed_of_run();
  (void)state;
  for (uint64_t i = 0; i < (seed_is_given() ? 1 : 3000); i++) {
    seed = first + i;
    memcpy(r, sound, sizeof *r);
    damage_at_random();
    if (draw(3) == 0)
      use_somehow(); /* before a process finds the damage */
    struct sg_saved_caches before;
    struct sg_wakes wakes = {0};
    struct sg_live_slot live[3];
    sg_caches_save(r, &before);
    report = (struct sg_report){0};
    if (sg_repair(r, checkpoint, &report, &wakes) != SCHEDGPU_OK)
      fail_msg("SG_SEED=%llu: not mended", (unsigned long long)(first + i));
    uint32_t lost = 0;
    for (uint32_t s = 0; s < 3; s++)
      if (r->client[s].state == SG_FREE)
        live[lost++] = (struct sg_live_slot){.slot = s};
    sg_orphans_keep(r, live, lost, &before, 1);
    sg_repair_finish(r, 1, &report, &wakes);
    struct sg_report again = {0};
    char text[200];
    sg_damage(r, &again);
    if (again.findings != 0)
      fail_msg("SG_SEED=%llu: %s", (unsigned long long)(first + i), again.text);
    if (sg_check(r, text, sizeof text) != SCHEDGPU_OK && !strstr(text, "over-committed"))
      fail_msg("SG_SEED=%llu: %s", (unsigned long long)(first + i), text);
    use_somehow();
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(each_byte_of_the_header_is_restored),
      TEST(each_byte_of_a_device_is_restored),
      TEST(an_absent_device_cannot_appear),
      TEST(each_byte_of_a_job_is_restored),
      TEST(a_restored_job_still_holds_its_budget),
      TEST(zeros_for_state_and_seal_are_not_the_end_of_a_job),
      TEST(a_wiped_job_table_is_restored),
      TEST(without_a_checkpoint_a_damaged_job_ends_and_the_others_stay),
      TEST(without_a_checkpoint_header_and_devices_are_refused),
      TEST(an_interrupted_change_needs_no_checkpoint),
      TEST(an_ended_job_is_not_restored),
      TEST(an_ended_job_is_not_restored_to_a_reused_record),
      TEST(an_impossible_state_is_repaired),
      TEST(an_impossible_request_is_dropped_and_its_client_woken),
      TEST(excess_leases_are_lowered),
      TEST(a_damaged_ticket_changes_no_other_place),
      TEST(a_request_in_the_place_of_another_process_is_dropped),
      TEST(unrecorded_memory_stays_reserved_for_orphans),
      TEST(the_last_orphan_releases_the_rest),
      TEST(a_checkpoint_of_another_region_or_of_other_bytes_is_none),
      TEST(random_damage_is_survived_and_repaired),
  };
  return cmocka_run_group_tests_name("integrity", tests, NULL, NULL);
}
