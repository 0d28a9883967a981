package org.schedgpu.gres.conf;

/**
 * One {@code Key=Value} of a line.
 *
 * @param key as it is written
 * @param operator of {@code Key+=Value} the sign, else empty; Slurm's own keys ignore it
 * @param value as Slurm sees it: without quotes and escapes
 * @param quoted whether the value is in quotes
 * @param start of the key in the line's own text
 * @param valueStart of the value, with its quote
 * @param end behind the value and its quote
 */
public record KeyValue(
    String key, String operator, String value, boolean quoted, int start, int valueStart, int end) {

  /** Case does not matter. */
  public boolean hasKey(String name) {
    return key.equalsIgnoreCase(name);
  }
}
