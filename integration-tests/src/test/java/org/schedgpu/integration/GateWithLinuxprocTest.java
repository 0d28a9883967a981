package org.schedgpu.integration;

/**
 * Where Slurm finds a job's processes by their parents, and ignores processes with the name of its
 * own daemon, which a task has until it runs a program.
 */
final class GateWithLinuxprocTest extends GateTestCase {
  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice()
        .constrainDevices(false)
        .slurmConf("ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none");
  }
}
