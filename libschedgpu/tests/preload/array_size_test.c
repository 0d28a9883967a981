/* Sizes of arrays computed from descriptors, for drivers that cannot be asked. */
#include "array_size.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define PAGE UINT64_C(65536)
#define FLOAT 0x20

static uint64_t bytes_of(size_t width, size_t height, size_t depth, int format, unsigned channels,
                         unsigned flags, unsigned levels) {
  CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, (CUarray_format)format, channels, flags};
  return sgp_array_bytes(&d, levels);
}

static void smallest_array_takes_a_page(void **state) {
  (void)state;
  assert_int_equal(bytes_of(1, 0, 0, 1, 1, 0, 1), PAGE);
  assert_int_equal(bytes_of(1, 1, 1, 1, 1, 0, 1), PAGE);
}

static void formats_have_their_sizes(void **state) {
  static const struct {
    int format;
    unsigned channels, texel;
  } known[] = {
      {0x01, 1, 1},  {0x08, 4, 4},  {0x02, 2, 4},  {0x09, 1, 2},  {0x10, 4, 8},  {0x03, 1, 4},
      {0x0a, 4, 16}, {FLOAT, 2, 8}, {0xc0, 1, 1},  {0xc1, 2, 2},  {0xc2, 4, 4},  {0xc3, 1, 2},
      {0xc5, 4, 8},  {0xc6, 1, 1},  {0xc8, 4, 4},  {0xc9, 1, 2},  {0xcb, 4, 8},  {0x91, 4, 1},
      {0x9e, 4, 1},  {0x50, 4, 4},  {0xb0, 3, 16}, {0xb1, 4, 16}, {0x9f, 3, 16}, {0x7777, 1, 16},
  };
  (void)state;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_int_equal(bytes_of(PAGE, 0, 0, known[i].format, known[i].channels, 0, 1),
                     known[i].texel * PAGE);
}

/* Rows of 64 bytes; tiles of 128 rows, or of the smallest power of two that suffices; 32 slices. */
static void extents_are_rounded_to_tiles(void **state) {
  (void)state;
  assert_int_equal(bytes_of(16385, 64, 0, FLOAT, 1, 0, 1), PAGE * 65);
  assert_int_equal(bytes_of(16384, 33, 0, FLOAT, 1, 0, 1), PAGE * 64);
  assert_int_equal(bytes_of(16384, 129, 0, FLOAT, 1, 0, 1), PAGE * 256);
  assert_int_equal(bytes_of(16384, 0, 5, FLOAT, 1, 0, 1), PAGE * 8);
  assert_int_equal(bytes_of(16384, 1, 33, FLOAT, 1, 0, 1), PAGE * 64);
}

static void layers_and_faces_are_not_rounded(void **state) {
  (void)state;
  assert_int_equal(bytes_of(16384, 0, 5, FLOAT, 1, CUDA_ARRAY3D_LAYERED, 1), PAGE * 5);
  assert_int_equal(bytes_of(128, 128, 6, FLOAT, 1, CUDA_ARRAY3D_CUBEMAP, 1), PAGE * 6);
}

static void levels_beyond_the_last_count_nothing(void **state) {
  (void)state;
  assert_int_equal(bytes_of(1024, 1024, 0, FLOAT, 1, 0, 3), PAGE * (64 + 16 + 4));
  assert_int_equal(bytes_of(1024, 1024, 4, FLOAT, 1, 0, 2), PAGE * (256 + 32));
  assert_int_equal(bytes_of(1024, 1024, 4, FLOAT, 1, CUDA_ARRAY3D_LAYERED, 2), PAGE * (256 + 64));
  assert_int_equal(bytes_of(16, 16, 0, FLOAT, 1, 0, 4000000000u), PAGE);
}

static void an_overflowing_size_is_the_maximum(void **state) {
  (void)state;
  assert_int_equal(bytes_of(SIZE_MAX, SIZE_MAX, SIZE_MAX, FLOAT, 4, 0, 70), UINT64_MAX);
  assert_int_equal(bytes_of(SIZE_MAX / 4, 5, 0, FLOAT, 1, 0, 1), UINT64_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(smallest_array_takes_a_page),
      cmocka_unit_test(formats_have_their_sizes),
      cmocka_unit_test(extents_are_rounded_to_tiles),
      cmocka_unit_test(layers_and_faces_are_not_rounded),
      cmocka_unit_test(levels_beyond_the_last_count_nothing),
      cmocka_unit_test(an_overflowing_size_is_the_maximum),
  };
  return cmocka_run_group_tests_name("array size", tests, NULL, NULL);
}
