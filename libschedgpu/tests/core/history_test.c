/* history_test.c - the records of jobs: their peaks, waits and times, and the jobs that ended. */
#include "history_testing.h"

/* --- peaks --- */

static void the_peak_of_one_process_is_exact(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, CONTEXT, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  enter_context(r, 0);
  take_now(r, 0, 2 * GIB);
  assert_true(sg_lease_take(&r->client[0], 0, GIB / SG_UNIT_BYTES)); /* as in the fast path */
  give(r, 0, 2 * GIB);
  sg_note_all_peaks(r);
  assert_int_equal(job_of_slot(r, 0)->peak_bytes[0], 3 * GIB);
  assert_true(sg_lease_take(&r->client[0], 0, GIB / SG_UNIT_BYTES));
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->peak_bytes[0], 3 * GIB);
  fixture_free(r);
}

static void contexts_are_counted_beside_the_peak(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, CONTEXT, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  add_process(r, 1, 0);
  enter_context(r, 0);
  enter_context(r, 1);
  take_now(r, 0, GIB);
  leave_context(r, 0);
  leave_at(r, 0, 5);
  take_now(r, 1, 2 * GIB);
  leave_at(r, 1, 6);
  end_at(r, 1, 7);
  assert_int_equal(last_ended(r)->peak_bytes[0], 2 * GIB);
  assert_int_equal(last_ended(r)->context_peak_bytes[0], 2 * CONTEXT);
  fixture_free(r);
}

/** A process killed between taking and marking: its lease shows what its mark does not. */
static void memory_of_the_dead_counts_for_the_peak(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  take_now(r, 0, 4 * GIB);
  atomic_store(&r->client[0].peak_units[0], 0);
  leave_at(r, 0, 5);
  end_at(r, 1, 6);
  assert_int_equal(last_ended(r)->peak_bytes[0], 4 * GIB);
  fixture_free(r);
}

/** Two processes, one after the other, use 4 GiB at once. If the peak is noted only at the end,
 * both count. */
static void one_after_the_other(struct sg_region *r, bool note_between) {
  join(r, 0, PEAK, 8 * GIB, 50);
  add_process(r, 1, 0);
  take_now(r, 0, 4 * GIB);
  give(r, 0, 4 * GIB);
  if (note_between)
    sg_note_all_peaks(r);
  take_now(r, 1, 4 * GIB);
  end_at(r, 1, 5);
}

static void the_peak_of_several_is_an_upper_bound_that_gets_closer(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  one_after_the_other(r, false);
  assert_int_equal(last_ended(r)->peak_bytes[0], 8 * GIB);
  leave_at(r, 0, 6);
  leave_at(r, 1, 6);
  one_after_the_other(r, true);
  assert_int_equal(last_ended(r)->peak_bytes[0], 4 * GIB);
  fixture_free(r);
}

/** Its processes cannot have more at once. */
static void the_peak_of_several_is_at_most_a_budget(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 5 * GIB, 50);
  add_process(r, 1, 0);
  take_now(r, 0, 4 * GIB);
  give(r, 0, 4 * GIB);
  take_now(r, 1, 4 * GIB);
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->peak_bytes[0], 5 * GIB);
  fixture_free(r);
}

static void at_the_same_time_they_add_up(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, CONTEXT, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  add_process(r, 1, 0);
  enter_context(r, 0);
  enter_context(r, 1);
  take_now(r, 0, 2 * GIB);
  sg_note_all_peaks(r);
  take_now(r, 1, 3 * GIB);
  leave_at(r, 0, 5);
  leave_at(r, 1, 5);
  end_at(r, 1, 6);
  assert_int_equal(last_ended(r)->peak_bytes[0], 5 * GIB);
  fixture_free(r);
}

static void a_note_leaves_what_is_in_use(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  take_now(r, 0, 4 * GIB);
  assert_false(sg_peaks_due(r));
  give(r, 0, 3 * GIB);
  assert_true(sg_peaks_due(r));
  sg_note_all_peaks(r);
  assert_false(sg_peaks_due(r));
  assert_int_equal(atomic_load(&r->client[0].peak_units[0]), GIB / SG_UNIT_BYTES);
  fixture_free(r);
}

/** The mark was raised since it was read, so it belongs to the next note. */
static void a_mark_that_was_raised_meanwhile_stays(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct sg_client *c = &r->client[0];
  sg_peak_raise(c, 0, 10);
  sg_peak_raise(c, 0, 20);
  sg_peak_raise(c, 0, 15);
  sg_peak_lower(c, 0, 10);
  assert_int_equal(atomic_load(&c->peak_units[0]), 20);
  sg_peak_lower(c, 0, 20);
  assert_int_equal(atomic_load(&c->peak_units[0]), 0);
  fixture_free(r);
}

static void an_overrun_adds_to_the_reservations(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = fixture_new(1, CONTEXT, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 4 * GIB, 50);
  enter_context(r, 0);
  take_now(r, 0, GIB);
  assert_int_equal(sg_set_overrun(r, r->client[0].job, 0, 2 * GIB, 1, &wakes), SCHEDGPU_OK);
  assert_int_equal(sg_set_overrun(r, r->client[0].job, 0, 0, 1, &wakes), SCHEDGPU_OK);
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->peak_bytes[0], 6 * GIB);
  fixture_free(r);
}

static void a_gate_shows_only_its_overrun(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, GATE, 4 * GIB, 50);
  uint32_t waiter;
  assert_int_equal(ask_at(r, 0, (struct sg_request){.gate = true}, 1, &waiter), SCHEDGPU_OK);
  leave_at(r, 0, 5);
  end_at(r, 1, 6);
  assert_int_equal(last_ended(r)->peak_bytes[0], 0);
  fixture_free(r);
}

static void a_peak_is_at_most_the_device(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  atomic_store(&r->client[0].peak_units[0], UINT32_MAX); /* a user may write the region */
  end_at(r, 1, 5);
  assert_int_equal(last_ended(r)->peak_bytes[0], 10 * GIB);
  fixture_free(r);
}

/* --- waits --- */

/** Slot 0 holds everything; a process of another job is in slot 1. */
static struct sg_region *holder_and_other(void) {
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  join(r, 1, ONDEMAND, 0, 50);
  take_at(r, 0, 10 * GIB, 10);
  return r;
}

static void a_wait_that_is_granted_counts_until_then(void **state) {
  (void)state;
  struct sg_region *r = holder_and_other();
  uint32_t waiter = wait_at(r, 1, GIB, 100);
  give_at(r, 0, 10 * GIB, 350);
  assert_int_equal(settle_at(r, waiter, 900), SCHEDGPU_OK);
  assert_int_equal(job_of_slot(r, 1)->waited_ns, 250);
  assert_int_equal(job_of_slot(r, 1)->waits, 1);
  assert_int_equal(job_of_slot(r, 0)->waits, 0);
  fixture_free(r);
}

/** Three ranks wait from 100, 200 and 300; the last wait ends at 800. */
static void waits_at_the_same_time_count_once(void **state) {
  (void)state;
  struct sg_region *r = holder_and_other();
  add_process(r, 2, 1);
  add_process(r, 3, 1);
  uint32_t first = wait_at(r, 1, GIB, 100), second = wait_at(r, 2, GIB, 200);
  assert_int_equal(settle_at(r, second, 250), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(job_of_slot(r, 1)->waited_ns, 0); /* the first one goes on */
  uint32_t third = wait_at(r, 3, GIB, 300);
  assert_int_equal(settle_at(r, first, 500), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(settle_at(r, third, 800), SCHEDGPU_EWOULDBLOCK);
  assert_int_equal(job_of_slot(r, 1)->waited_ns, 700);
  assert_int_equal(job_of_slot(r, 1)->waits, 3);
  wait_at(r, 1, GIB, 1000);
  wait_at(r, 2, GIB, 1100);
  end_at(r, 2, 1300); /* both end with their job */
  assert_int_equal(last_ended(r)->waited_ns, 1000);
  fixture_free(r);
}

static void waits_that_end_otherwise_count_too(void **state) {
  (void)state;
  struct sg_region *r = holder_and_other();
  uint32_t waiter = wait_at(r, 1, GIB, 100);
  assert_int_equal(settle_at(r, waiter, 300), SCHEDGPU_EWOULDBLOCK); /* left the queue */
  wait_at(r, 1, GIB, 1000);
  leave_at(r, 1, 1400); /* detached, or died */
  uint32_t job = sg_job_find(r, SCHEDGPU_JOB_SLURM, 2);
  assert_int_equal(r->job[job].waited_ns, 600);
  assert_int_equal(r->job[job].waits, 2);
  fixture_free(r);
}

static void a_wait_that_the_end_of_its_job_ends_is_in_the_record(void **state) {
  (void)state;
  struct sg_region *r = holder_and_other();
  wait_at(r, 1, GIB, 100);
  end_at(r, 2, 150);
  assert_int_equal(last_ended(r)->waited_ns, 50);
  assert_int_equal(last_ended(r)->waits, 1);
  leave_at(r, 1, 200);
  fixture_free(r);
}

static void an_immediate_answer_is_no_wait(void **state) {
  (void)state;
  struct sg_region *r = holder_and_other();
  uint32_t waiter;
  struct sg_request q = {.bytes = GIB, .may_wait = false};
  assert_int_equal(ask_at(r, 1, q, 100, &waiter), SCHEDGPU_EWOULDBLOCK);
  give_at(r, 0, 10 * GIB, 200);
  take_at(r, 1, GIB, 300);
  assert_int_equal(job_of_slot(r, 1)->waits, 0);
  assert_int_equal(job_of_slot(r, 1)->waited_ns, 0);
  fixture_free(r);
}

/* --- the time for which it held memory --- */

static void a_budget_is_held_until_it_is_released(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, PEAK, 6 * GIB, 50);
  join(r, 1, PEAK, 6 * GIB, 50);
  take_at(r, 0, GIB, 100);
  wait_at(r, 1, GIB, 200);
  bool idle;
  assert_true(sg_lease_give(&r->client[0].lease[0], GIB / SG_UNIT_BYTES, &idle));
  sg_serve(r, 400, &wakes); /* no process uses it and a request waits: it is released */
  assert_int_equal(job_of_slot(r, 0)->held_ns, 300);
  assert_int_equal(job_of_slot(r, 0)->held_since_ns, 0);
  end_at(r, 2, 1000);
  assert_int_equal(last_ended(r)->held_ns, 600);
  leave_at(r, 1, 1000);
  fixture_free(r);
}

static void pauses_do_not_count(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  take_at(r, 0, GIB, 100);
  take_at(r, 0, GIB, 150);
  give_at(r, 0, 2 * GIB, 200);
  take_at(r, 0, GIB, 1000);
  end_at(r, 1, 1030);
  assert_int_equal(last_ended(r)->held_ns, 130);
  leave_at(r, 0, 1100);
  fixture_free(r);
}

static void held_time_of_the_dead_ends_at_the_reap(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  take_at(r, 0, GIB, 100);
  leave_at(r, 0, 160);
  end_at(r, 1, 1000);
  assert_int_equal(last_ended(r)->held_ns, 60);
  fixture_free(r);
}

static void a_gate_holds_until_its_job_ends(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, GATE, 4 * GIB, 50);
  uint32_t waiter;
  assert_int_equal(ask_at(r, 0, (struct sg_request){.gate = true}, 100, &waiter), SCHEDGPU_OK);
  leave_at(r, 0, 200);
  end_at(r, 1, 900);
  assert_int_equal(last_ended(r)->held_ns, 800);
  fixture_free(r);
}

/** A process killed between the two stores that end a period: the period is not counted twice. */
static void held_time_is_not_counted_twice_after_a_death(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  join(r, 0, ONDEMAND, 0, 50);
  take_at(r, 0, GIB, 100);
  give_at(r, 0, GIB, 400);
  job_of_slot(r, 0)->held_since_ns = 100;
  recover(r, 410);
  assert_int_equal(job_of_slot(r, 0)->held_ns, 310);
  assert_int_equal(job_of_slot(r, 0)->held_since_ns, 0);
  fixture_free(r);
}

/* --- the ring --- */

static void an_ended_job_is_recorded_as_it_was(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = fixture_new(2, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec s = job_spec(4711, PEAK, 6 * GIB, 70);
  s.device_mask = 3;
  s.budget_bytes[1] = 2 * GIB;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 100, &wakes), SCHEDGPU_OK);
  end_at(r, 4711, 900);
  const struct sg_ended *e = last_ended(r);
  assert_int_equal(e->sequence, 1);
  assert_int_equal(e->kind, SCHEDGPU_JOB_SLURM);
  assert_int_equal(e->id, 4711);
  assert_int_equal(e->uid, 1000);
  assert_int_equal(e->priority, 70);
  assert_int_equal(e->mode, PEAK);
  assert_int_equal(e->device_mask, 3);
  assert_int_equal(e->budget_bytes[0], 6 * GIB);
  assert_int_equal(e->budget_bytes[1], 2 * GIB);
  assert_int_equal(e->begun_ns, 100);
  assert_int_equal(e->ended_ns, 900);
  assert_string_equal(e->name, "job4711");
  fixture_free(r);
}

static void begin_and_end(struct sg_region *r, uint64_t id) {
  struct schedgpu_job_spec s = job_spec(id, PEAK, GIB, 50);
  begin(r, &s);
  end_at(r, id, 2);
}

static void the_ring_keeps_the_last_ones(void **state) {
  (void)state;
  struct sg_report report = {0};
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  for (uint64_t id = 1; id <= SG_ENDED + 3; id++)
    begin_and_end(r, id);
  assert_int_equal(r->h.ended, SG_ENDED + 3);
  for (uint64_t sequence = 4; sequence <= SG_ENDED + 3; sequence++) {
    uint32_t i = (uint32_t)((sequence - 1) % SG_ENDED);
    assert_true(sg_ended_valid(&r->ended[i], i));
    assert_int_equal(r->ended[i].sequence, sequence);
    assert_int_equal(r->ended[i].id, sequence);
  }
  sg_damage(r, &report);
  assert_int_equal(report.findings, 0);
  fixture_free(r);
}

static void a_reused_id_ends_the_earlier_job(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec s = job_spec(1, PEAK, GIB, 50);
  begin(r, &s);
  s.uid = 2000;
  assert_int_equal(sg_job_begin(r, &s, SG_NONE, 500, &wakes), SCHEDGPU_OK);
  assert_int_equal(last_ended(r)->uid, 1000);
  assert_int_equal(last_ended(r)->ended_ns, 500);
  fixture_free(r);
}

static void a_job_that_ends_with_its_owner_is_recorded(void **state) {
  (void)state;
  struct sg_wakes wakes = {0};
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  r->client[7].gen++;
  assert_int_equal(sg_client_attach(r, 7, SG_NONE, 1000, 100, 1), SCHEDGPU_OK);
  struct schedgpu_job_spec s = job_spec(1, PEAK, GIB, 50);
  s.flags = SCHEDGPU_JOB_FLAG_OWNED;
  assert_int_equal(sg_job_begin(r, &s, 7, 1, &wakes), SCHEDGPU_OK);
  leave_at(r, 7, 300);
  assert_int_equal(last_ended(r)->id, 1);
  assert_int_equal(last_ended(r)->ended_ns, 300);
  fixture_free(r);
}

/** Killed after the record was written, before the job was removed. */
static void an_end_that_another_process_completes_is_one_end(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  struct schedgpu_job_spec s = job_spec(1, PEAK, GIB, 50);
  uint32_t job = begin(r, &s);
  atomic_store(&r->job[job].state, SG_ENDING);
  sg_ended_add(r, job, 5);
  r->h.ended = 0; /* not counted yet */
  recover(r, 9);
  assert_int_equal(r->h.ended, 1);
  assert_int_equal(last_ended(r)->ended_ns, 5);
  begin_and_end(r, 2);
  assert_int_equal(r->h.ended, 2);
  assert_int_equal(last_ended(r)->id, 2);
  fixture_free(r);
}

static void an_incomplete_record_is_invalid(void **state) {
  (void)state;
  struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
  begin_and_end(r, 1);
  begin_and_end(r, 2);
  r->ended[0].peak_bytes[0] ^= 4;
  assert_false(sg_ended_valid(&r->ended[0], 0));
  r->ended[0].peak_bytes[0] ^= 4;
  assert_true(sg_ended_valid(&r->ended[0], 0));
  r->ended[0].refusals ^= 4; /* the seal includes the last field */
  assert_false(sg_ended_valid(&r->ended[0], 0));
  assert_false(sg_ended_valid(&r->ended[1], 0)); /* a record of another place */
  assert_true(sg_ended_valid(&r->ended[1], 1));
  atomic_store(&r->ended[1].sequence, SG_ENDED + 2); /* of this place, with another sequence */
  assert_false(sg_ended_valid(&r->ended[1], 1));
  fixture_free(r);
}

/** No sequence is used twice: a reader of the damaged record does not miss the next one. */
static void a_damaged_count_is_repaired(void **state) {
  (void)state;
  const uint64_t wrong[] = {0, 2, 77, SG_ENDED + 2, UINT64_MAX};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct sg_wakes wakes = {0};
    struct sg_report report = {0};
    struct sg_region *r = fixture_new(1, 0, SCHEDGPU_POLICY_FIFO);
    for (uint64_t id = 1; id <= 3; id++)
      begin_and_end(r, id);
    r->h.ended = wrong[i];
    sg_repair(r, NULL, &report, &wakes);
    if (wrong[i] != 2) /* as if its writer had been killed before it counted the record */
      assert_int_equal(report.findings, 1);
    begin_and_end(r, 4);
    assert_int_equal(last_ended(r)->id, 4);
    assert_true(r->h.ended == 4 || r->h.ended == 5);
    assert_int_equal(r->ended[2].id, 3);
    report = (struct sg_report){0};
    sg_damage(r, &report);
    assert_int_equal(report.findings, 0);
    fixture_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_peak_of_one_process_is_exact),
      cmocka_unit_test(contexts_are_counted_beside_the_peak),
      cmocka_unit_test(memory_of_the_dead_counts_for_the_peak),
      cmocka_unit_test(the_peak_of_several_is_an_upper_bound_that_gets_closer),
      cmocka_unit_test(the_peak_of_several_is_at_most_a_budget),
      cmocka_unit_test(at_the_same_time_they_add_up),
      cmocka_unit_test(a_note_leaves_what_is_in_use),
      cmocka_unit_test(a_mark_that_was_raised_meanwhile_stays),
      cmocka_unit_test(an_overrun_adds_to_the_reservations),
      cmocka_unit_test(a_gate_shows_only_its_overrun),
      cmocka_unit_test(a_peak_is_at_most_the_device),
      cmocka_unit_test(a_wait_that_is_granted_counts_until_then),
      cmocka_unit_test(waits_at_the_same_time_count_once),
      cmocka_unit_test(waits_that_end_otherwise_count_too),
      cmocka_unit_test(a_wait_that_the_end_of_its_job_ends_is_in_the_record),
      cmocka_unit_test(an_immediate_answer_is_no_wait),
      cmocka_unit_test(a_budget_is_held_until_it_is_released),
      cmocka_unit_test(pauses_do_not_count),
      cmocka_unit_test(held_time_of_the_dead_ends_at_the_reap),
      cmocka_unit_test(a_gate_holds_until_its_job_ends),
      cmocka_unit_test(held_time_is_not_counted_twice_after_a_death),
      cmocka_unit_test(an_ended_job_is_recorded_as_it_was),
      cmocka_unit_test(the_ring_keeps_the_last_ones),
      cmocka_unit_test(a_reused_id_ends_the_earlier_job),
      cmocka_unit_test(a_job_that_ends_with_its_owner_is_recorded),
      cmocka_unit_test(an_end_that_another_process_completes_is_one_end),
      cmocka_unit_test(an_incomplete_record_is_invalid),
      cmocka_unit_test(a_damaged_count_is_repaired),
  };
  return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
