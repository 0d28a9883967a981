package org.schedgpu.jna;

/**
 * A region that another version of schedGPU made, found after an update.
 *
 * @param version version of its layout
 * @param processes number of processes that use it
 */
public record OtherVersionRegion(long version, long processes) {
  /** The layout version of this library. */
  public static long ours() {
    return RegionLayout.ofLibrary().at("layout.version");
  }
}
