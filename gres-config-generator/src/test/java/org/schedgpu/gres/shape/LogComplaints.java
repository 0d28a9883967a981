package org.schedgpu.gres.shape;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Lines in the daemons' logs that an administrator would have to examine. */
final class LogComplaints {
  private static final Pattern COMPLAINT =
      Pattern.compile("(?i).*\\b(error|fatal|warning|inval\\w*|ignor\\w*|removing|mismatch)\\b.*");

  /** Messages that this host causes with any GRES. */
  private static final List<Pattern> OF_THIS_HOST =
      Stream.of(
              "Domain socket directory .*: No such file",
              "xcpuinfo_hwloc_topo_load: failed",
              "mpi/pmix",
              // For version 2, on a host that gives the controllers to version 1.
              "Controller \\w+ is not enabled",
              "Could not open \\w+ state file .*: No such file",
              "Trying backup state save file",
              "High latency for .* calls to gettimeofday",
              // Messages of a host so busy that daemons miss each other's answers.
              "[Nn]ot responding",
              "timed out",
              "Munge (en|de)code failed|If munged is up",
              "Unable to (register|contact slurm controller)",
              "[Cc]group/v1.*deprecated|deprecated.*cgroup/v1",
              // slurmctld of 24.11 notifies an srun that has already ended.
              "msg_type=SRUN_JOB_COMPLETE\\) failed: Connection reset by peer",
              // 23.11 and 24.05 without slurmdbd.
              "_refresh_assoc_mgr_qos_list: no new list given back",
              // The check whether slurmctld listens yet.
              "slurm_receive_msg .*: Zero Bytes were transmitted or received")
          .map(Pattern::compile)
          .toList();

  private LogComplaints() {}

  static boolean isOne(String line) {
    return COMPLAINT.matcher(line).matches()
        && OF_THIS_HOST.stream().noneMatch(known -> known.matcher(line).find());
  }
}
