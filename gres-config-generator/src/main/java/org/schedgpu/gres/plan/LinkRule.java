package org.schedgpu.gres.plan;

import org.schedgpu.gres.common.SlurmVersion;

/**
 * How Slurm chooses the GPUs of a job by Links= in gres.conf, and so what Links= must contain for
 * the job to get different devices.
 */
public enum LinkRule {
  /** Before 24.05: Slurm chooses the GPUs with the most links to those that the job has already. */
  MOST_LINKED("Links: -1 itself, 0 the same device, 1 another device, which Slurm prefers.") {
    @Override
    public int link(boolean sameDevice, boolean lowerHalf) {
      return sameDevice ? 0 : 1;
    }
  },
  /**
   * From 24.05 on: {@code --gres=gpu:k} chooses the fewest links, {@code --gpus=k} the most
   * (Slurm's src/plugins/select/cons_tres/gres_select_filter.c). The first begins at the lowest
   * free GPU, the second at the GPU with the highest number in its row. Therefore the lower half of
   * a type's rows serves the first, the upper half the second.
   */
  LEAST_LINKED(
      "Links, for Slurm 24.05 and newer: -1 itself, 1 or 2 the same device, 0 or 3 another.") {
    @Override
    public int link(boolean sameDevice, boolean lowerHalf) {
      int ofLowerHalf = sameDevice ? 1 : 0;
      int ofUpperHalf = sameDevice ? 2 : 3;
      return lowerHalf ? ofLowerHalf : ofUpperHalf;
    }
  };

  private static final SlurmVersion FIRST_OF_LEAST_LINKED = new SlurmVersion(24, 5);

  private final String comment;

  LinkRule(String comment) {
    this.comment = comment;
  }

  /** The rule of a release of Slurm. */
  public static LinkRule of(SlurmVersion version) {
    return version.compareTo(FIRST_OF_LEAST_LINKED) < 0 ? MOST_LINKED : LEAST_LINKED;
  }

  /** What the numbers mean, for gres.conf. */
  public String comment() {
    return comment;
  }

  /**
   * One number of Links=, for another GPU.
   *
   * @param sameDevice whether the other GPU is on the same device
   * @param lowerHalf whether the GPU that has this Links= is in the lower half of its type
   */
  public abstract int link(boolean sameDevice, boolean lowerHalf);
}
