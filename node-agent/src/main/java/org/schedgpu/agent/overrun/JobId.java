package org.schedgpu.agent.overrun;

import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot.Job;

/** The reference of a job as numbers, for the tables of a full node. */
record JobId(JobKind kind, long id) {
  static JobId of(Job job) {
    return new JobId(job.kind(), job.id());
  }
}
