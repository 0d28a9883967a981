/* library_test.c - whether the user of a task can load the preload library. */
#include "library.h"
#include "testing.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#define SOMEBODY 65534

static char reason[512];

static bool loads(const char *library) {
  reason[0] = '\0';
  return sg_library_loads(library, reason, sizeof reason);
}

static void expect_reason(const char *text) {
  if (!strstr(reason, text))
    print_error("'%s' is not in: %s\n", text, reason);
  assert_non_null(strstr(reason, text));
}

static void what_everybody_may_read_loads(void **state) {
  (void)state;
  write_file("lib.so", "x");
  assert_true(loads(in_folder("lib.so")));
  assert_string_equal(reason, "");
}

static void what_is_missing_does_not(void **state) {
  (void)state;
  assert_false(loads(in_folder("lib.so")));
  expect_reason("lib.so: the job's user cannot read it: No such file or directory: let every user");
}

/** Root may read it, and has checked it before. */
static void what_the_user_may_not_read_does_not(void **state) {
  (void)state;
  bool root = geteuid() == 0;
  write_file("lib.so", "x");
  assert_int_equal(chmod(in_folder("lib.so"), 0), 0);
  if (root)
    assert_int_equal(seteuid(SOMEBODY), 0);
  bool loaded = loads(in_folder("lib.so"));
  if (root)
    assert_int_equal(seteuid(0), 0);
  assert_false(loaded);
  expect_reason("lib.so: the job's user cannot read it: Permission denied: let every user read it");
}

/** Only root can mount one, in a namespace of this process alone. */
static void what_lies_on_a_noexec_mount_does_not(void **state) {
  (void)state;
  if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("none", folder, "tmpfs", MS_NOEXEC, NULL) != 0)
    skip();
  write_file("lib.so", "x");
  bool loaded = loads(in_folder("lib.so"));
  umount(folder);
  assert_false(loaded);
  expect_reason("lib.so: its file system is mounted with noexec, so no program can load it: ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_everybody_may_read_loads, set_up_folder, remove_folder),
      cmocka_unit_test_setup_teardown(what_is_missing_does_not, set_up_folder, remove_folder),
      cmocka_unit_test_setup_teardown(what_the_user_may_not_read_does_not, set_up_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(what_lies_on_a_noexec_mount_does_not, set_up_folder,
                                      remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
