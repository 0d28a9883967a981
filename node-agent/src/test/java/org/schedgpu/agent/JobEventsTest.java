package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.agent.Snapshots.GIB;
import static org.schedgpu.agent.Snapshots.NOW;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

class JobEventsTest {
  private static final List<Device> DEVICES =
      List.of(new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, 0, 0, 0));
  private static final Job HOLDER = job(0, 7, Map.of(0, 10 * GIB));
  private static final Job WAITS = job(1, 8, Map.of());
  private static final Job SERVED = job(1, 8, Map.of(0, 10 * GIB));

  private final JobEvents events = new JobEvents(uid -> uid == 1000 ? "alice" : "bob");

  private static Job job(int record, long id, Map<Integer, Long> held) {
    return Snapshots.job(record, JobKind.SLURM, id, 1000, Mode.PEAK, 50, Map.of(0, 10 * GIB), held);
  }

  private static RegionSnapshot region(List<Job> jobs, Waiter... waiters) {
    return Snapshots.snapshot(
        DEVICES,
        jobs,
        List.of(Snapshots.client(6, 1, 102, Map.of(), 0, 0)),
        List.of(waiters),
        List.of());
  }

  private static Waiter waiter(int place) {
    return Snapshots.waiter(6, 1, Request.PEAK, place, 5, 10 * GIB, List.of(0), 65);
  }

  private List<String> changes(RegionSnapshot now) {
    return events.changes(now, NOW);
  }

  @Test
  void aJobIsToldFromItsBeginToItsEnd() {
    assertEquals(List.of(), changes(region(List.of())));
    assertEquals(
        List.of("begin job=slurm:7 user=alice device=0 bytes=10737418240 mode=peak priority=50"),
        changes(region(List.of(HOLDER))));
    assertEquals(List.of(), changes(region(List.of(HOLDER))));
    assertEquals(
        List.of("end job=slurm:7 user=alice device=0 bytes=10737418240 lasted=10000.000s"),
        changes(region(List.of())));
  }

  @Test
  void whatWasThereBeforeUsIsFound() {
    assertEquals(
        List.of("found job=slurm:7 user=alice device=0 bytes=10737418240 mode=peak priority=50"),
        changes(region(List.of(HOLDER))));
  }

  @Test
  void aWaitIsToldWithHowLongItTookAndWhatCameOfIt() {
    changes(region(List.of(HOLDER, WAITS)));
    assertEquals(
        List.of("wait job=slurm:8 user=alice device=0 bytes=10737418240 place=1 pid=102"),
        changes(region(List.of(HOLDER, WAITS), waiter(1))));
    assertEquals(List.of(), changes(region(List.of(HOLDER, WAITS), waiter(1))));
    assertEquals(
        List.of(
            "waited job=slurm:8 user=alice device=0 bytes=10737418240 waited=65.000s"
                + " holds=10737418240",
            "end job=slurm:7 user=alice device=0 bytes=10737418240 lasted=10000.000s"),
        changes(region(List.of(SERVED), waiter(0))));
  }

  @Test
  void whoGaveUpHoldsNothing() {
    changes(region(List.of(HOLDER, WAITS), waiter(1)));
    assertEquals(
        List.of("waited job=slurm:8 user=alice device=0 bytes=10737418240 waited=65.000s holds=0"),
        changes(region(List.of(HOLDER, WAITS))));
  }
}
