package org.schedgpu.gres.conf;

/**
 * A value and the line that sets it.
 *
 * @param key the key as written there
 * @param line the line that sets the value, and that has to be changed to change it
 */
public record Setting(String key, String value, ConfLine line) {
  /** File and line. */
  public Place place() {
    return line.place();
  }

  /** True if it comes from a line such as {@code NodeName=DEFAULT}. */
  public boolean isDefault() {
    return DefaultLines.isDefault(line);
  }
}
