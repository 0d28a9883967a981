package org.schedgpu.agent.process;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;

/**
 * Finds the jobs that are stopped: by scontrol suspend, PreemptMode=SUSPEND, or SIGSTOP. Such a job
 * keeps what it holds and its place in the queue, and gives nothing back before it goes on.
 */
public final class StoppedJobs {
  private StoppedJobs() {}

  /** A process in its own PID namespace. */
  private record Place(int pid, long pidNamespace) {}

  /**
   * The records of the jobs that have processes, all of them stopped. A process that cannot be seen
   * counts as running.
   */
  public static Set<Integer> of(RegionSnapshot snapshot, HostProcesses processes) {
    Map<Integer, List<Client>> jobs =
        snapshot.clients().stream()
            .filter(client -> client.job().isPresent())
            .collect(Collectors.groupingBy(client -> client.job().get()));
    Map<Place, Integer> elsewhere = new HashMap<>();
    long ours = processes.ownPidNamespace();
    if (snapshot.clients().stream().anyMatch(client -> client.pidNamespace() != ours)) {
      processes.all().forEach(pid -> place(processes, pid, elsewhere));
    }
    Set<Integer> stopped = new HashSet<>();
    jobs.forEach(
        (job, clients) -> {
          if (clients.stream().allMatch(one -> isStopped(processes, one, ours, elsewhere))) {
            stopped.add(job);
          }
        });
    return stopped;
  }

  private static void place(HostProcesses processes, int pid, Map<Place, Integer> elsewhere) {
    processes
        .innerPid(pid)
        .ifPresent(inner -> elsewhere.put(new Place(inner, processes.pidNamespace(pid)), pid));
  }

  private static boolean isStopped(
      HostProcesses processes, Client client, long ours, Map<Place, Integer> elsewhere) {
    Optional<Integer> pid =
        client.pidNamespace() == ours
            ? Optional.of(client.pid())
            : Optional.ofNullable(elsewhere.get(new Place(client.pid(), client.pidNamespace())));
    return pid.filter(processes::isStopped).isPresent();
  }
}
