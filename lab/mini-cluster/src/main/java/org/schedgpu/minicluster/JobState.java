package org.schedgpu.minicluster;

/** The states of a job, as squeue names them. */
public enum JobState {
  PENDING,
  CONFIGURING,
  RUNNING,
  SUSPENDED,
  STOPPED,
  SIGNALING,
  RESIZING,
  REQUEUED,
  REQUEUE_HOLD,
  SPECIAL_EXIT,
  STAGE_OUT,
  COMPLETING,
  COMPLETED,
  CANCELLED,
  FAILED,
  TIMEOUT,
  NODE_FAIL,
  PREEMPTED,
  BOOT_FAIL,
  DEADLINE,
  OUT_OF_MEMORY;

  /** True if the job is over, its Epilog included. */
  public boolean isFinished() {
    return compareTo(COMPLETED) >= 0;
  }
}
