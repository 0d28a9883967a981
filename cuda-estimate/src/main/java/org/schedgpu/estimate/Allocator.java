package org.schedgpu.estimate;

import java.util.Map;
import java.util.regex.Pattern;

/** The calls that allocate and free device memory, and the argument that gives the size. */
final class Allocator {
  /** The form of the size. */
  enum Kind {
    /** An argument is the size in bytes. */
    BYTES,
    /** Width in bytes and height; each row is rounded up. */
    PITCH,
    /** A {@code cudaExtent}, its width in bytes. */
    EXTENT,
    /** A channel format, width and height in elements. */
    ARRAY,
    /** A channel format and a {@code cudaExtent} in elements. */
    ARRAY_3D,
    /** An allocation whose size this command cannot compute. */
    OTHER
  }

  /**
   * One function.
   *
   * @param argument position of the first argument that gives the size, from 0
   */
  record Shape(Kind kind, int argument) {}

  /** All functions of the runtime and, without their suffixes, of the driver. */
  private static final Map<String, Shape> ALLOCATE =
      Map.ofEntries(
          Map.entry("cudaMalloc", new Shape(Kind.BYTES, 1)),
          Map.entry("cudaMallocManaged", new Shape(Kind.BYTES, 1)),
          Map.entry("cudaMallocAsync", new Shape(Kind.BYTES, 1)),
          Map.entry("cudaMallocFromPoolAsync", new Shape(Kind.BYTES, 1)),
          Map.entry("cudaMallocPitch", new Shape(Kind.PITCH, 2)),
          Map.entry("cudaMalloc3D", new Shape(Kind.EXTENT, 1)),
          Map.entry("cudaMallocArray", new Shape(Kind.ARRAY, 1)),
          Map.entry("cudaMalloc3DArray", new Shape(Kind.ARRAY_3D, 1)),
          Map.entry("cudaMallocMipmappedArray", new Shape(Kind.OTHER, 0)),
          Map.entry("cudaMemPoolCreate", new Shape(Kind.OTHER, 0)),
          Map.entry("cuMemAlloc", new Shape(Kind.BYTES, 1)),
          Map.entry("cuMemAllocManaged", new Shape(Kind.BYTES, 1)),
          Map.entry("cuMemAllocAsync", new Shape(Kind.BYTES, 1)),
          Map.entry("cuMemAllocFromPoolAsync", new Shape(Kind.BYTES, 1)),
          Map.entry("cuMemAllocPitch", new Shape(Kind.PITCH, 2)),
          Map.entry("cuMemCreate", new Shape(Kind.BYTES, 1)),
          Map.entry("cuArrayCreate", new Shape(Kind.OTHER, 0)),
          Map.entry("cuArray3DCreate", new Shape(Kind.OTHER, 0)),
          Map.entry("cuMipmappedArrayCreate", new Shape(Kind.OTHER, 0)),
          Map.entry("cuMemPoolCreate", new Shape(Kind.OTHER, 0)));

  /** The functions that free memory, and the position of the argument that they free. */
  private static final Map<String, Integer> FREE =
      Map.ofEntries(
          Map.entry("cudaFree", 0),
          Map.entry("cudaFreeAsync", 0),
          Map.entry("cudaFreeArray", 0),
          Map.entry("cudaFreeMipmappedArray", 0),
          Map.entry("cuMemFree", 0),
          Map.entry("cuMemFreeAsync", 0),
          Map.entry("cuArrayDestroy", 0),
          Map.entry("cuMemRelease", 0),
          Map.entry("cuMipmappedArrayDestroy", 0));

  private static final Pattern WORD = Pattern.compile("\\w+");

  private Allocator() {}

  /** The way in which a function allocates; null if it does not. */
  static Shape of(String function) {
    return ALLOCATE.get(base(function));
  }

  /** True if a function frees its first argument. */
  static boolean isFree(String function) {
    return FREE.containsKey(base(function));
  }

  /** Without the version and the kind of stream: {@code cuMemAlloc_v2}, {@code ..._ptsz}. */
  private static String base(String function) {
    return function.replaceAll("(_v\\d)?(_ptsz)?$", "");
  }

  /** True if a text contains the name of an allocating function. */
  static boolean isNamedIn(String text) {
    return WORD.matcher(text).results().anyMatch(word -> of(word.group()) != null);
  }
}
