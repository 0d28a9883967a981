package org.schedgpu.gres.plan;

import java.util.Locale;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * What gres.conf tells Slurm about how devices belong together. Slurm 22.05 prefers GPUs of one
 * socket to GPUs of different devices, so only one of the two can be had.
 */
public enum Affinity {
  /** Links=: a job of several GPUs gets different devices while two have room. */
  LINKS(
      "Links= and no Cores=: a job of several GPUs gets different devices while two have room;"
          + " a job's CPUs may be far from its device"),
  /** Cores=: a job's CPUs are near its device. */
  CORES(
      "Cores= and no Links=: a job's CPUs are near its device; a job of several GPUs may get one"
          + " device more often"),
  /** Neither. */
  NONE(
      "neither Links= nor Cores=: a job of several GPUs may get one device more often, and CPUs"
          + " far from it");

  private final String cost;

  Affinity(String cost) {
    this.cost = cost;
  }

  /** What is written, what it achieves and what it costs. */
  public String cost() {
    return cost;
  }

  /** The word for the command line and JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads {@link #word()}, in any case.
   *
   * @throws GresException if the word is not known
   */
  public static Affinity of(String word) {
    for (Affinity affinity : values()) {
      if (affinity.word().equalsIgnoreCase(word)) {
        return affinity;
      }
    }
    throw new GresException(
        "affinity " + Check.quoted(word) + " is not known", "use links, cores or none");
  }
}
