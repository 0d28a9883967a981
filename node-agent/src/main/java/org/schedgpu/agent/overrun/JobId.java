package org.schedgpu.agent.overrun;

import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Which job: its reference as numbers, for tables of the hundreds that a full node has. */
record JobId(JobKind kind, long id) {
  static JobId of(Job job) {
    return new JobId(job.kind(), job.id());
  }
}
