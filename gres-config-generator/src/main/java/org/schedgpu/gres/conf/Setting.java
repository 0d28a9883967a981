package org.schedgpu.gres.conf;

/**
 * A value and where it comes from.
 *
 * @param key as it is written there
 * @param line where it is set; to be changed there
 */
public record Setting(String key, String value, ConfLine line) {
  /** File and line. */
  public Place place() {
    return line.place();
  }

  /** Whether it comes from a line such as {@code NodeName=DEFAULT}. */
  public boolean isDefault() {
    return DefaultLines.isDefault(line);
  }
}
