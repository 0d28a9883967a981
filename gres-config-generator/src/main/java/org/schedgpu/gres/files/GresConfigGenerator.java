package org.schedgpu.gres.files;

import org.schedgpu.gres.plan.GresPlan;

/** Writes the texts of a plan. No state, no files: safe for use by several threads. */
public final class GresConfigGenerator {
  private GresConfigGenerator() {}

  /**
   * The three texts of a plan. The same plan gives the same bytes.
   *
   * @param plan a plan; it was checked when it was made, so nothing can fail here
   */
  public static GresFiles generate(GresPlan plan) {
    return new GresFiles(
        GresConfWriter.text(plan), SlurmConfWriter.text(plan), DevicesConfWriter.text(plan));
  }
}
