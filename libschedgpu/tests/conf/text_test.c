/* text_test.c - sizes, times and priorities: which texts are accepted, and which are refused. */
#include "conf_testing.h"

static void expect_bytes(const char *text, uint64_t expected) {
  uint64_t bytes = 1;
  assert_int_equal(schedgpu_parse_bytes(text, 1000, &bytes), SCHEDGPU_OK);
  assert_true(bytes == expected);
}

static void sizes_have_binary_units(void **state) {
  (void)state;
  expect_bytes("512M", 512 * MIB);
  expect_bytes("6G", 6 * GIB);
  expect_bytes("6GiB", 6 * GIB);
  expect_bytes("1T", 1024 * GIB);
  expect_bytes("4K", 4096);
  expect_bytes("2g", 2 * GIB);
  expect_bytes("0", 0);
}

static void a_bare_number_is_mib(void **state) {
  (void)state;
  expect_bytes("300", 300 * MIB);
}

static void percentages_are_of_the_total(void **state) {
  (void)state;
  expect_bytes("40%", 400);
  expect_bytes("100%", 1000);
  uint64_t bytes = 7;
  assert_int_equal(schedgpu_parse_bytes("99%", UINT64_MAX, &bytes), SCHEDGPU_OK);
  assert_true(bytes > UINT64_MAX / 100 * 98);
}

static void percentages_need_a_total(void **state) {
  (void)state;
  uint64_t bytes = 7;
  assert_int_equal(schedgpu_parse_bytes("40%", 0, &bytes), SCHEDGPU_EINVAL);
  assert_true(bytes == 7);
}

static void other_sizes_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",
                                      " ",
                                      "G",
                                      "-1",
                                      "+1",
                                      "6X",
                                      "6GB",
                                      "6 G",
                                      "6G ",
                                      " 6G",
                                      "1.5G",
                                      "6GiBx",
                                      "101%",
                                      "%",
                                      "4%%",
                                      "0x6",
                                      "6giX",
                                      "18446744073709551616",
                                      "18446744073709551615",
                                      "17592186044416M",
                                      "99999999999T"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint64_t bytes = 7;
    assert_int_equal(schedgpu_parse_bytes(wrong[i], 1000, &bytes), SCHEDGPU_EINVAL);
    assert_true(bytes == 7);
  }
  assert_int_equal(schedgpu_parse_bytes(NULL, 1000, NULL), SCHEDGPU_EINVAL);
}

static void expect_time(const char *text, int64_t expected_ns) {
  int64_t ns = 1;
  assert_int_equal(schedgpu_parse_time(text, &ns), SCHEDGPU_OK);
  assert_true(ns == expected_ns);
}

static void times_have_units(void **state) {
  (void)state;
  expect_time("500ms", SECOND_NS / 2);
  expect_time("30s", 30 * SECOND_NS);
  expect_time("5m", 300 * SECOND_NS);
  expect_time("2h", 7200 * SECOND_NS);
  expect_time("30d", 2592000 * SECOND_NS);
  expect_time("45", 45 * SECOND_NS);
  expect_time("0", 0);
}

static void times_may_be_clocks(void **state) {
  (void)state;
  expect_time("90:05", 5405 * SECOND_NS);
  expect_time("01:00:01", 3601 * SECOND_NS);
  expect_time("100:00:00", 360000 * SECOND_NS);
}

static void forever_is_not_a_time(void **state) {
  (void)state;
  expect_time("forever", SCHEDGPU_FOREVER);
}

static void other_times_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",
                                      "-1",
                                      "s",
                                      "5x",
                                      "1:60",
                                      "1:2:3:4",
                                      "1:",
                                      ":30",
                                      "1:-1",
                                      "1s ",
                                      "1.5s",
                                      "1:00m",
                                      "1:60:0",
                                      "never",
                                      "5 m",
                                      "1:001",
                                      "forever!",
                                      "9223372037",
                                      "99999999999999999999",
                                      "9999999999h",
                                      "106752d"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    int64_t ns = 7;
    assert_int_equal(schedgpu_parse_time(wrong[i], &ns), SCHEDGPU_EINVAL);
    assert_true(ns == 7);
  }
}

static void expect_priority(const char *text, int expected) {
  int32_t priority = -7;
  assert_int_equal(schedgpu_parse_priority(text, &priority), SCHEDGPU_OK);
  assert_int_equal(priority, expected);
}

static void priorities_are_names_or_numbers(void **state) {
  (void)state;
  expect_priority("low", 10);
  expect_priority("normal", 50);
  expect_priority("high", 90);
  expect_priority("0", 0);
  expect_priority("100", 100);
}

static void other_priorities_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",   "urgent", "101", "-1",
                                      "5x", "lowest", "1.5", "4294967297"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    int32_t priority = 7;
    assert_int_equal(schedgpu_parse_priority(wrong[i], &priority), SCHEDGPU_EINVAL);
    assert_int_equal(priority, 7);
  }
}

static void bytes_are_shown_as_gib(void **state) {
  (void)state;
  char text[24];
  assert_string_equal(schedgpu_format_bytes(6 * GIB, text), "6.0 GiB");
  assert_string_equal(schedgpu_format_bytes(GIB + GIB / 2, text), "1.5 GiB");
  assert_string_equal(schedgpu_format_bytes(2 * GIB - 1, text), "2.0 GiB");
  assert_string_equal(schedgpu_format_bytes(0, text), "0.0 GiB");
  assert_string_equal(schedgpu_format_bytes(1, text), "1 MiB"); /* never as if it were nothing */
  assert_string_equal(schedgpu_format_bytes(UINT64_C(20) << 20, text), "20 MiB");
  assert_string_equal(schedgpu_format_bytes(UINT64_C(52) << 20, text), "0.1 GiB");
  assert_string_equal(schedgpu_format_bytes(UINT64_MAX, text), "17179869184.0 GiB");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_have_binary_units),
      cmocka_unit_test(a_bare_number_is_mib),
      cmocka_unit_test(percentages_are_of_the_total),
      cmocka_unit_test(percentages_need_a_total),
      cmocka_unit_test(other_sizes_are_refused),
      cmocka_unit_test(times_have_units),
      cmocka_unit_test(times_may_be_clocks),
      cmocka_unit_test(forever_is_not_a_time),
      cmocka_unit_test(other_times_are_refused),
      cmocka_unit_test(priorities_are_names_or_numbers),
      cmocka_unit_test(other_priorities_are_refused),
      cmocka_unit_test(bytes_are_shown_as_gib),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
