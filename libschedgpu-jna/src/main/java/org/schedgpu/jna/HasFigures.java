package org.schedgpu.jna;

/** A job that runs or has ended, with its figures. */
public interface HasFigures {
  /** All of them. */
  JobFigures figures();

  /** {@link JobFigure#WAITED}. */
  default long waitedNs() {
    return figures().of(JobFigure.WAITED);
  }

  /** {@link JobFigure#WAITS}. */
  default long waits() {
    return figures().of(JobFigure.WAITS);
  }

  /** {@link JobFigure#HELD}. */
  default long heldNs() {
    return figures().of(JobFigure.HELD);
  }
}
