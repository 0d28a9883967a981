package org.schedgpu.gres.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * A plan with its text, which is kept for a later run.
 *
 * @param json as it was read
 * @param plan its meaning
 */
record PlanText(String json, PlanFile plan) {
  /**
   * Reads it once: standard input can be read only once.
   *
   * @param file {@code -} is the standard input
   * @throws GresException if it cannot be read or is no plan
   */
  static PlanText read(Path file) {
    boolean isInput = file.toString().equals("-");
    String place = isInput ? "plan on standard input" : "plan " + file;
    try {
      byte[] bytes = isInput ? System.in.readAllBytes() : Files.readAllBytes(file);
      return parse(new String(bytes, StandardCharsets.UTF_8), place);
    } catch (IOException e) {
      throw new GresException(
          place + Check.unreadable(e), "make it with schedgpu gres plan --json", e);
    }
  }

  static PlanText parse(String json, String place) {
    return new PlanText(json, PlanFile.parse(json, place));
  }
}
