package org.schedgpu.gres.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * A plan together with its text, which is kept for a later run.
 *
 * @param json the text as it was read
 * @param plan the plan that the text describes
 */
record PlanText(String json, PlanFile plan) {
  /**
   * Reads both in one pass, because standard input can be read only once.
   *
   * @param file {@code -} is the standard input
   * @throws GresException if it cannot be read or is not a plan
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
