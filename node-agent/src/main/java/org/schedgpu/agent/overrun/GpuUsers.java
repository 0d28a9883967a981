package org.schedgpu.agent.overrun;

import java.util.List;
import java.util.Optional;
import org.schedgpu.agent.process.HostProcess;
import org.schedgpu.agent.process.HostProcesses;
import org.schedgpu.agent.process.JobFinder;
import org.schedgpu.jna.GpuProcess;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/** Finds the jobs of the processes that NVML names, in one snapshot of the region. */
final class GpuUsers {
  private final RegionSnapshot snapshot;
  private final HostProcesses processes;
  private final MpsServer mps = MpsServer.ofNode();
  private JobFinder finder;

  GpuUsers(RegionSnapshot snapshot, HostProcesses processes) {
    this.snapshot = snapshot;
    this.processes = processes;
  }

  /** If processes are hidden from this user, a process that is not found may belong to any job. */
  Optional<List<GpuUser>> of(Optional<List<GpuProcess>> list) {
    return list.map(all -> all.stream().map(this::of).toList())
        .filter(all -> processes.seesAll() || all.stream().noneMatch(u -> u.name().isEmpty()));
  }

  private GpuUser of(GpuProcess seen) {
    return processes
        .find(seen.pid())
        .map(host -> of(seen, host))
        .orElseGet(
            () -> new GpuUser(seen.pid(), "", seen.usedBytes(), Optional.empty(), false, ""));
  }

  private GpuUser of(GpuProcess seen, HostProcess host) {
    Optional<Job> job = finder().jobOf(host);
    return new GpuUser(
        seen.pid(),
        host.name(),
        seen.usedBytes(),
        job,
        finder().mayBeClient(host),
        job.flatMap(its -> JobFinder.stepOf(host, its)).orElse(""),
        mps.is(processes.folder(host.pid()), host.name(), host.uid()));
  }

  /** Not built if no device has a process, because it reads all of a full node. */
  private JobFinder finder() {
    if (finder == null) {
      finder = new JobFinder(snapshot, processes::find, processes.ownPidNamespace());
    }
    return finder;
  }
}
