package org.schedgpu.gres.files;

import org.schedgpu.gres.plan.GresPlan;

/** Makes the content of a plan's files. Stateless and so thread-safe; it opens no file. */
public final class GresConfigGenerator {
  private GresConfigGenerator() {}

  /**
   * The content of the three files. The same plan always gives the same bytes.
   *
   * @param plan a plan; its constructor has checked it, so nothing can fail here
   */
  public static GresFiles generate(GresPlan plan) {
    return new GresFiles(
        GresConfWriter.text(plan), SlurmConfWriter.text(plan), DevicesConfWriter.text(plan));
  }
}
