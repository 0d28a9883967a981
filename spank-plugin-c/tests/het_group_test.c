/* het_group_test.c - the groups of the components of an srun, by its command line. */
#include "../het_group.h"
#include "testing.h"

#define GROUP(words, component) sg_het_group(words, sizeof(words), component)

static void components_are_numbered(void **state) {
  (void)state;
  assert_int_equal(GROUP("srun\0-n1\0a\0:\0-n2\0b", 0), 0);
  assert_int_equal(GROUP("srun\0-n1\0a\0:\0-n2\0b", 1), 1);
}

static void a_component_names_its_group(void **state) {
  (void)state;
  assert_int_equal(GROUP("srun\0--het-group=2\0a", 0), 2);
  assert_int_equal(GROUP("srun\0--het-group\0"
                         "2\0a",
                         0),
                   2);
  assert_int_equal(GROUP("srun\0--pack-group=2\0a", 0), 2);
  assert_int_equal(GROUP("srun\0--het-group=1\0a\0:\0--het-group=0\0b", 0), 1);
  assert_int_equal(GROUP("srun\0--het-group=1\0a\0:\0--het-group=0\0b", 1), 0);
}

static void a_list_makes_a_component_of_each_group(void **state) {
  static const char words[] = "srun\0--het-group=0,2-3\0a\0:\0--het-group=1\0b";
  static const unsigned groups[] = {0, 2, 3, 1};
  (void)state;
  for (unsigned c = 0; c < 4; c++)
    assert_int_equal(sg_het_group(words, sizeof words, c), groups[c]);
}

static void what_is_no_list_names_no_group(void **state) {
  (void)state;
  assert_int_equal(GROUP("srun\0--het-group=x\0a", 0), 0);
  assert_int_equal(GROUP("srun\0a\0--het-group", 0), 0);
  assert_int_equal(GROUP("srun\0a", 3), 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(components_are_numbered),
      cmocka_unit_test(a_component_names_its_group),
      cmocka_unit_test(a_list_makes_a_component_of_each_group),
      cmocka_unit_test(what_is_no_list_names_no_group),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
