/*
 * layout_test.c - docs/reference/region.md shows the layout; it must agree with the compiler. After
 * a change of region.h, `layout_test --print` prints the new tables.
 */
#include "../support/fixture.h"

#define PAGE "../docs/reference/region.md"

static void print_row(FILE *to, const char *name) {
  fprintf(to, "| `%s` | %lld |\n", name, (long long)schedgpu_layout_find(name));
}

static char *read_page(void) {
  FILE *f = fopen(PAGE, "r");
  assert_non_null(f);
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  size_t n = fread(text, 1, (1 << 16) - 1, f);
  fclose(f);
  assert_true(n > 0);
  return text;
}

static void the_page_agrees_with_the_compiler(void **state) {
  (void)state;
  char *page = read_page(), row[128];
  for (uint32_t i = 0; schedgpu_layout_name(i); i++) {
    const char *name = schedgpu_layout_name(i);
    snprintf(row, sizeof row, "| `%s` | %lld |\n", name, (long long)schedgpu_layout_find(name));
    if (!strstr(page, row))
      fail_msg(PAGE " lacks or contradicts: %s", row);
  }
  free(page);
}

/** Records that are written without the lock, or waited on, share no cache line with others. */
static void records_are_aligned(void **state) {
  (void)state;
  const char *tables[] = {"job", "client", "waiter", "lane", "turn"};
  char name[32];
  for (int i = 0; i < 5; i++) {
    snprintf(name, sizeof name, "%s.offset", tables[i]);
    assert_int_equal(schedgpu_layout_find(name) % 64, 0);
    snprintf(name, sizeof name, "%s.stride", tables[i]);
    assert_int_equal(schedgpu_layout_find(name) % 64, 0);
  }
  assert_int_equal(schedgpu_layout_find("region.lock") % 64, 0);
  assert_int_equal(schedgpu_layout_find("region.seq") % 64, 0);
  assert_int_equal(schedgpu_layout_find("no.such.name"), -1);
  assert_int_equal(schedgpu_layout_find(NULL), -1);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "--print") == 0) {
    for (uint32_t i = 0; schedgpu_layout_name(i); i++)
      print_row(stdout, schedgpu_layout_name(i));
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_page_agrees_with_the_compiler),
      cmocka_unit_test(records_are_aligned),
  };
  return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
