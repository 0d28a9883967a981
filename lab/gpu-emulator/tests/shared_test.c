/* Parameters, identity of processes, visible devices, and the state file. */
#include "test_support.h"
#include "../src/shared/account.h"
#include "../src/shared/config.h"
#include "../src/shared/identity.h"
#include "../src/shared/process.h"
#include "../src/shared/state.h"
#include "../src/shared/visible.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void assert_size(const char *text, uint64_t wanted) {
  uint64_t bytes;
  assert_int_equal(config_size(text, &bytes), 0);
  assert_int_equal(bytes, wanted);
}

static void sizes_have_binary_units(void **unused) {
  (void)unused;
  assert_size("0", 0);
  assert_size("4096", 4096);
  assert_size("512M", 512 * MIB);
  assert_size("6GiB", 6 * 1024 * MIB);
  assert_size("1t", 1024 * 1024 * MIB);
  assert_size("3KB", 3072);
}

static void an_invalid_size_is_refused(void **unused) {
  (void)unused;
  static const char *const bad[] = {"", "M", "-1", "12X", "1GiBs", "1.5G", "9999999999T"};
  uint64_t bytes;
  for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(config_size(bad[i], &bytes), -1);
}

static void parameters_come_from_the_environment(void **unused) {
  (void)unused;
  struct config config;
  assert_int_equal(config_read(&config), 0);
  assert_int_equal(config.device_count, 2);
  assert_int_equal(config.memory_bytes, 1024 * MIB);
  assert_int_equal(config.context_bytes, 64 * MIB);
  unsetenv("EMULATED_GPU_COUNT");
  unsetenv("EMULATED_GPU_MEM");
  unsetenv("EMULATED_GPU_CONTEXT");
  assert_int_equal(config_read(&config), 0);
  assert_int_equal(config.device_count, 1);
  assert_int_equal(config.memory_bytes, 16384 * MIB);
  assert_int_equal(config.context_bytes, 256 * MIB);
}

static void wrong_parameters_are_refused(void **unused) {
  (void)unused;
  struct config config;
  setenv("EMULATED_GPU_COUNT", "17", 1);
  assert_int_equal(config_read(&config), -1);
  setenv("EMULATED_GPU_COUNT", "16", 1);
  assert_int_equal(config_read(&config), 0);
  setenv("EMULATED_GPU_MEM", "much", 1);
  assert_int_equal(config_read(&config), -1);
  assert_null(state_open_at(getenv("EMULATED_GPU_STATE")));
}

static void stat_is_read_behind_the_name(void **unused) {
  (void)unused;
  char state;
  long threads;
  uint64_t ticks;
  const char *text = "7 (a) Z (b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 5 18 4242 20";
  assert_int_equal(process_parse_stat(text, &state, &threads, &ticks), 0);
  assert_int_equal(state, 'S');
  assert_int_equal(threads, 5);
  assert_int_equal(ticks, 4242);
  assert_int_equal(process_parse_stat("7 (cut) S 1 2", &state, &threads, &ticks), -1);
  assert_int_equal(process_parse_stat("", &state, &threads, &ticks), -1);
}

static void another_start_time_is_another_process(void **unused) {
  (void)unused;
  uint64_t start = process_own_start();
  assert_true(start > 0);
  assert_true(process_alive(getpid(), start));
  assert_false(process_alive(getpid(), start + 1));
}

static void end_at_once(void) {}

static void zombie_is_dead(void **unused) {
  (void)unused;
  int pid = start_child(end_at_once);
  siginfo_t info;
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_false(process_alive(pid, 0));
  assert_child_ends_well(pid);
  assert_false(process_alive(pid, 0));
}

static const struct visible three = {.count = 3, .device = {0, 1, 2}};

static void assert_selects(const char *list, unsigned count, unsigned first, unsigned second) {
  struct visible selected;
  visible_select(&three, list, &selected);
  assert_int_equal(selected.count, count);
  if (count > 0)
    assert_int_equal(selected.device[0], first);
  if (count > 1)
    assert_int_equal(selected.device[1], second);
}

static void list_of_ordinals_keeps_its_order(void **unused) {
  (void)unused;
  assert_selects(NULL, 3, 0, 1);
  assert_selects("1", 1, 1, 0);
  assert_selects("2,0", 2, 2, 0);
  assert_selects(" 2 , 1", 2, 2, 1);
}

static void list_ends_at_the_first_invalid_entry(void **unused) {
  (void)unused;
  assert_selects("", 0, 0, 0);
  assert_selects("-1", 0, 0, 0);
  assert_selects("NoDevFiles", 0, 0, 0);
  assert_selects("1,-1,2", 1, 1, 0);
  assert_selects("1,3,2", 1, 1, 0);
  assert_selects("1,,2", 1, 1, 0);
  assert_selects("1x", 0, 0, 0);
}

static void device_named_twice_voids_the_list(void **unused) {
  (void)unused;
  assert_selects("0,0", 0, 0, 0);
  assert_selects("1,GPU-e0e0e0e0-0000-4000-8000-000000000001", 0, 0, 0);
}

static void list_of_uuids(void **unused) {
  (void)unused;
  assert_selects("GPU-e0e0e0e0-0000-4000-8000-000000000002,"
                 "GPU-e0e0e0e0-0000-4000-8000-000000000000",
                 2, 2, 0);
  assert_selects("GPU-E0E0E0E0-0000-4000-8000-000000000001,0", 2, 1, 0);
  assert_selects("GPU-e0e0e0e0", 0, 0, 0); /* a prefix of all three */
  assert_selects("GPU-e0e0e0e0-0000-4000-8000-000000000009", 0, 0, 0);
}

static void beginning_of_a_uuid_that_names_one_device(void **unused) {
  (void)unused;
  struct visible one = {.count = 1, .device = {4}}, selected;
  visible_select(&one, "GPU-e0e0", &selected);
  assert_int_equal(selected.count, 1);
  assert_int_equal(selected.device[0], 4);
}

static const char *closed_file;
static int closed_error;
static int fake_probe(const char *path) {
  return strcmp(path, closed_file) ? 0 : closed_error;
}

static void device_that_may_not_be_opened_does_not_exist(void **unused) {
  (void)unused;
  struct visible permitted, selected;
  closed_file = "/dev/nvidia1";
  closed_error = EPERM;
  visible_permitted("/dev", 3, fake_probe, &permitted);
  assert_int_equal(permitted.count, 2);
  assert_int_equal(permitted.device[1], 2);
  visible_select(&permitted, "1", &selected); /* ordinals count the permitted devices */
  assert_int_equal(selected.count, 1);
  assert_int_equal(selected.device[0], 2);
  visible_select(&permitted, "GPU-e0e0e0e0-0000-4000-8000-000000000001", &selected);
  assert_int_equal(selected.count, 0);
}

static void other_errors_leave_the_device(void **unused) {
  (void)unused;
  struct visible permitted;
  closed_file = "/dev/nvidia1";
  closed_error = EACCES;
  visible_permitted("/dev", 3, fake_probe, &permitted);
  assert_int_equal(permitted.count, 3);
  closed_error = ENOENT;
  visible_permitted("/dev", 3, fake_probe, &permitted);
  assert_int_equal(permitted.count, 3);
  visible_permitted(NULL, 3, fake_probe, &permitted);
  assert_int_equal(permitted.count, 3);
}

static void probe_agrees_with_open(void **unused) {
  (void)unused;
  assert_int_equal(visible_probe("/dev/null"), 0);
  assert_int_equal(visible_probe("/no/such/file"), ENOENT);
}

static void uuids_differ_and_stay(void **unused) {
  (void)unused;
  char first[UUID_TEXT_BYTES], last[UUID_TEXT_BYTES], name[64];
  identity_uuid_text(0, first);
  identity_uuid_text(15, last);
  assert_string_equal(first, "GPU-e0e0e0e0-0000-4000-8000-000000000000");
  assert_string_equal(last, "GPU-e0e0e0e0-0000-4000-8000-00000000000f");
  identity_name(3, name, sizeof name);
  assert_string_equal(name, "Emulated GPU 3");
}

static void state_is_for_all_users(void **unused) {
  (void)unused;
  mode_t former = umask(077);
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  umask(former);
  struct stat info;
  assert_non_null(state);
  assert_int_equal(stat(getenv("EMULATED_GPU_STATE"), &info), 0);
  assert_int_equal(info.st_mode & 0777, 0666);
  state_close(state);
}

static void parameters_are_those_of_the_creator(void **unused) {
  (void)unused;
  struct shared_state *first = state_open_at(getenv("EMULATED_GPU_STATE"));
  setenv("EMULATED_GPU_MEM", "7G", 1);
  struct shared_state *second = state_open_at(getenv("EMULATED_GPU_STATE"));
  assert_int_equal(second->memory_bytes, 1024 * MIB);
  state_close(first);
  state_close(second);
}

static struct gate ready;

static void count_me(void) {
  gate_pass(&ready);
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  REQUIRE(state);
  state_lock(state);
  state->memory_bytes++; /* a field that nothing else changes: lost if two files were created */
  state_unlock(state);
}

static void racing_creators_make_one_file(void **unused) {
  (void)unused;
  enum { RACERS = 16 };
  int pids[RACERS];
  gate_make(&ready);
  for (int i = 0; i < RACERS; i++)
    pids[i] = start_child(count_me);
  for (int i = 0; i < RACERS; i++)
    gate_open(&ready);
  for (int i = 0; i < RACERS; i++)
    assert_child_ends_well(pids[i]);
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  assert_int_equal(state->memory_bytes, 1024 * MIB + RACERS);
  state_close(state);
}

static void other_files_are_refused(void **unused) {
  (void)unused;
  int fd = open(getenv("EMULATED_GPU_STATE"), O_CREAT | O_WRONLY, 0666);
  assert_int_equal(write(fd, "notes", 5), 5);
  assert_null(state_open_at(getenv("EMULATED_GPU_STATE")));
  assert_int_equal(ftruncate(fd, sizeof(struct shared_state)), 0);
  assert_null(state_open_at(getenv("EMULATED_GPU_STATE")));
  close(fd);
}

static void die_with_the_lock(void) {
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  REQUIRE(state);
  state_lock(state);
  int slot = state_claim(state);
  REQUIRE(slot == 0);
  REQUIRE(account_take(state, 0, (unsigned)slot, 100 * MIB) == 0);
  kill(getpid(), SIGKILL);
}

static void holder_of_the_lock_may_be_killed(void **unused) {
  (void)unused;
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  int status, pid = start_child(die_with_the_lock);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFSIGNALED(status));
  state_lock(state);
  assert_int_equal(account_used(state, 0), 100 * MIB);
  state_reap(state);
  assert_int_equal(account_used(state, 0), 0);
  state_unlock(state);
  state_close(state);
}

static void program_after_exec_has_nothing_of_the_old_one(void **unused) {
  (void)unused;
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  state_lock(state);
  int slot = state_claim(state);
  assert_int_equal(account_take(state, 0, (unsigned)slot, MIB), 0);
  assert_int_equal(state_claim(state), slot); /* like the next program of this process */
  assert_int_equal(account_used(state, 0), 0);
  state_unlock(state);
  state_close(state);
}

static void five_hundred_and_twelve_processes(void **unused) {
  (void)unused;
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  uint64_t start = process_own_start();
  for (unsigned slot = 0; slot < MAX_PROCESSES; slot++)
    state->owners[slot] = (struct owner){.pid = getppid()};
  state->owners_high = MAX_PROCESSES;
  assert_int_equal(state_claim(state), -1);
  state->owners[77] = (struct owner){.pid = getppid(), .start_ticks = start + 1};
  assert_int_equal(state_claim(state), 77); /* the parent's pid, reused */
  state_close(state);
}

static void capacity_is_exact(void **unused) {
  (void)unused;
  struct shared_state *state = state_open_at(getenv("EMULATED_GPU_STATE"));
  unsigned slot = (unsigned)state_claim(state);
  assert_int_equal(account_take_context(state, 1, slot), 0);
  assert_int_equal(account_take(state, 1, slot, 960 * MIB + 1), -1);
  assert_int_equal(account_take(state, 1, slot, UINT64_MAX), -1);
  assert_int_equal(account_take(state, 1, slot, 960 * MIB), 0);
  assert_int_equal(account_used(state, 1), 1024 * MIB);
  assert_int_equal(account_used(state, 0), 0);
  account_give(state, 1, slot, 960 * MIB);
  account_give_context(state, 1, slot);
  assert_int_equal(account_used(state, 1), 0);
  state_close(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_state, teardown_state)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(sizes_have_binary_units),
      TEST(an_invalid_size_is_refused),
      TEST(parameters_come_from_the_environment),
      TEST(wrong_parameters_are_refused),
      TEST(stat_is_read_behind_the_name),
      TEST(another_start_time_is_another_process),
      TEST(zombie_is_dead),
      TEST(list_of_ordinals_keeps_its_order),
      TEST(list_ends_at_the_first_invalid_entry),
      TEST(device_named_twice_voids_the_list),
      TEST(list_of_uuids),
      TEST(beginning_of_a_uuid_that_names_one_device),
      TEST(device_that_may_not_be_opened_does_not_exist),
      TEST(other_errors_leave_the_device),
      TEST(probe_agrees_with_open),
      TEST(uuids_differ_and_stay),
      TEST(state_is_for_all_users),
      TEST(parameters_are_those_of_the_creator),
      TEST(racing_creators_make_one_file),
      TEST(other_files_are_refused),
      TEST(holder_of_the_lock_may_be_killed),
      TEST(program_after_exec_has_nothing_of_the_old_one),
      TEST(five_hundred_and_twelve_processes),
      TEST(capacity_is_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
