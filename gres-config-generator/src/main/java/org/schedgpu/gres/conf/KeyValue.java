package org.schedgpu.gres.conf;

/**
 * One {@code Key=Value} of a line.
 *
 * @param key as it is written
 * @param operator the sign in {@code Key+=Value}, else empty; Slurm's own keys ignore it
 * @param value as Slurm sees it: without quotes and escapes
 * @param quoted whether the value is in quotes
 * @param start position of the key in the text of the line
 * @param valueStart position of the value, including its quote
 * @param end position after the value and its quote
 */
public record KeyValue(
    String key, String operator, String value, boolean quoted, int start, int valueStart, int end) {

  /** True if this is the key; case does not matter. */
  public boolean hasKey(String name) {
    return key.equalsIgnoreCase(name);
  }
}
