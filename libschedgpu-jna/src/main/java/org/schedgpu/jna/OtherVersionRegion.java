package org.schedgpu.jna;

/**
 * A region that another version of schedgpu made, after an update.
 *
 * @param version of its layout
 * @param processes that use it
 */
public record OtherVersionRegion(long version, long processes) {
  /** The version that this library speaks. */
  public static long ours() {
    return RegionLayout.ofLibrary().at("layout.version");
  }
}
