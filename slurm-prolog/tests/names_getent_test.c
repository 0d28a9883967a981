/* names_getent_test.c - names of groups and users by getent(1), and by programs in its place. */
#define GETENT getent
static const char *getent;
#include "../names_getent.c"
#include "hook_testing.h"

#define REAL "/usr/bin/getent"

static uint32_t gid;
static char name[32];

/** Puts a shell script in place of getent; $1 is the database, $3 the key. */
static void answer(const char *script) {
  write_file("getent", "#!/bin/sh\n%s\n", script);
  getent = in_folder("getent");
  assert_int_equal(chmod(getent, 0755), 0);
}

static int ask_group(const char *group) {
  gid = 7;
  return sg_gid_of_name(group, &gid);
}

static void a_group_is_found_by_its_name(void **state) {
  (void)state;
  answer("[ \"$*\" = 'group -- gpu-users' ] && echo 'gpu-users:x:4711:ann,bob'");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_OK);
  assert_int_equal(gid, 4711);
  answer("echo gpu-users:x:0:");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_OK);
  assert_int_equal(gid, 0);
}

static void a_name_that_getent_does_not_find_is_unknown(void **state) {
  (void)state;
  answer("exit 2");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_EINVAL);
  assert_false(sg_name_of_uid(1000, name, sizeof name));
  assert_int_equal(gid, 7);
}

static void a_number_is_not_a_name(void **state) {
  (void)state;
  answer("echo 'gpu-users:x:4711:'");
  assert_int_equal(ask_group("4711"), SCHEDGPU_EINVAL);
  assert_int_equal(gid, 7);
  answer("echo '4711:x:12:'"); /* although a group may have such a name */
  assert_int_equal(ask_group("4711"), SCHEDGPU_OK);
  assert_int_equal(gid, 12);
}

static void without_getent_nothing_is_known(void **state) {
  (void)state;
  const char *const scripts[] = {"exit 1", "exit 3", "echo gpu-users:x:1:; exit 1", "kill -9 $$"};
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    answer(scripts[i]);
    assert_int_equal(ask_group("gpu-users"), SCHEDGPU_ESYSTEM);
    assert_false(sg_name_of_uid(1000, name, sizeof name));
  }
  unlink(in_folder("getent"));
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_ESYSTEM);
  assert_false(sg_name_of_uid(1000, name, sizeof name));
  assert_int_equal(gid, 7);
}

static void a_failure_of_getent_is_reported(void **state) {
  (void)state;
  struct sg_conf conf = {.region_group = "gpu-users"};
  static struct sg_conf_devices devices;
  struct schedgpu_setup setup;
  char error[200];
  answer("exit 1");
  assert_int_equal(sg_setup_of_conf(&conf, &devices, &setup, error, sizeof error),
                   SCHEDGPU_ESYSTEM);
  assert_string_equal(error,
                      "RegionGroup=gpu-users: groups cannot be looked up: does getent group work?");
  answer("exit 2");
  assert_int_equal(sg_setup_of_conf(&conf, &devices, &setup, error, sizeof error), SCHEDGPU_EINVAL);
  assert_string_equal(error,
                      "RegionGroup=gpu-users: there is no such group: create it or change it");
}

static void an_invalid_answer_is_ignored(void **state) {
  (void)state;
  const char *const scripts[] = {"echo gpu-users", "echo gpu-users:x", "echo gpu-users:x:",
                                 "echo gpu-users:x:-1:", "echo 'gpu-users:x: 5:'"};
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    answer(scripts[i]);
    assert_int_equal(ask_group("gpu-users"), SCHEDGPU_ESYSTEM);
  }
  answer("exit 0");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_EINVAL);
  assert_int_equal(gid, 7);
}

static void a_number_beyond_all_ids_is_not_an_id(void **state) {
  (void)state;
  answer("echo gpu-users:x:4294967295:");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_OK);
  assert_true(gid == UINT32_MAX);
  answer("echo gpu-users:x:4294967296:");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_ESYSTEM);
}

/** The parent of the hook may have left it like that: waitpid() would then find no child. */
static void ignored_children_are_waited_for(void **state) {
  (void)state;
  answer("echo gpu-users:x:4711:");
  signal(SIGCHLD, SIG_IGN);
  int rc = ask_group("gpu-users");
  signal(SIGCHLD, SIG_DFL);
  assert_int_equal(rc, SCHEDGPU_OK);
}

/** More than fits into a pipe: getent is not killed while it writes. */
static void a_group_of_many_users_is_a_group(void **state) {
  (void)state;
  answer("printf 'gpu-users:x:4711:'; head -c 300000 /dev/zero | tr '\\0' u; echo; echo more");
  assert_int_equal(ask_group("gpu-users"), SCHEDGPU_OK);
  assert_int_equal(gid, 4711);
}

static void a_user_has_a_name_if_it_fits(void **state) {
  (void)state;
  answer("[ \"$*\" = 'passwd -- 1000' ] && echo 'ann:x:1000:1000::/home/ann:/bin/sh'");
  assert_true(sg_name_of_uid(1000, name, sizeof name));
  assert_string_equal(name, "ann");
  assert_true(sg_name_of_uid(1000, name, 4));
  assert_false(sg_name_of_uid(1000, name, 3));
}

static void the_real_getent_answers(void **state) {
  (void)state;
  getent = REAL;
  if (access(REAL, X_OK) != 0)
    skip();
  assert_int_equal(ask_group("root"), SCHEDGPU_OK);
  assert_int_equal(gid, 0);
  assert_int_equal(ask_group("0"), SCHEDGPU_EINVAL);
  assert_int_equal(ask_group("no-such-group"), SCHEDGPU_EINVAL);
  /* it must not become an option of getent */
  assert_int_equal(ask_group("--version"), SCHEDGPU_EINVAL);
  assert_true(sg_name_of_uid(0, name, sizeof name));
  assert_string_equal(name, "root");
  assert_false(sg_name_of_uid(4000000000u, name, sizeof name));
}

int main(void) {
#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up_folder, remove_folder)
  const struct CMUnitTest tests[] = {
      UNIT(a_group_is_found_by_its_name),
      UNIT(a_name_that_getent_does_not_find_is_unknown),
      UNIT(a_number_is_not_a_name),
      UNIT(without_getent_nothing_is_known),
      UNIT(a_failure_of_getent_is_reported),
      UNIT(an_invalid_answer_is_ignored),
      UNIT(a_number_beyond_all_ids_is_not_an_id),
      UNIT(ignored_children_are_waited_for),
      UNIT(a_group_of_many_users_is_a_group),
      UNIT(a_user_has_a_name_if_it_fits),
      UNIT(the_real_getent_answers),
  };
  return cmocka_run_group_tests_name("names by getent", tests, NULL, NULL);
}
