package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.agent.Snapshots.GIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.overrun.Overruns.Seen;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

class OverrunChargerTest {
  private static final long UNIT_BYTES = 512;

  private final List<String> written = new ArrayList<>();
  private boolean jobIsThere = true;

  private final OverrunCharger.Charges book =
      new OverrunCharger.Charges() {
        @Override
        public boolean setOverrun(JobKind kind, long jobId, int device, long bytes) {
          written.add("%s:%d %d %d".formatted(kind.text(), jobId, device, bytes));
          return jobIsThere;
        }

        @Override
        public void setForeign(int device, long bytes) {
          written.add("foreign %d %d".formatted(device, bytes));
        }
      };

  private static RegionSnapshot region(long overrun, long foreign) {
    Job job = Snapshots.job(0, JobKind.RUN, 31, 1000, Mode.PEAK, 50, Map.of(0, GIB), Map.of());
    return Snapshots.snapshot(
        List.of(
            new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, 0, overrun + foreign, foreign),
            new Device(1, "GPU-1", "Emulated GPU", 16 * GIB, 0, 0, 0, 0)),
        List.of(Snapshots.withOverrun(job, overrun == 0 ? Map.of() : Map.of(0, overrun))),
        List.of(),
        List.of(),
        List.of());
  }

  private List<String> charge(RegionSnapshot region, long ofJob, long foreign) {
    List<GpuUser> users = new ArrayList<>();
    if (ofJob > 0) {
      users.add(Snapshots.user(9, "train", ofJob, Optional.of(region.jobs().get(0)), false));
    }
    if (foreign > 0) {
      users.add(Snapshots.user(8, "Xorg", foreign, Optional.empty(), false));
    }
    Map<Integer, Seen> seen = new TreeMap<>();
    seen.put(0, new Seen(Optional.of(users), OptionalLong.empty()));
    return OverrunCharger.charge(book, region, Overruns.of(region, region, seen));
  }

  @Test
  void whatIsSeenIsChargedAndSaid() {
    assertEquals(
        List.of(
            "run:31: charged with 2.0 GiB of device 0 beyond what it holds: 9 train",
            "device 0: charged with 512 MiB that programs of no job use: 8 Xorg"),
        charge(region(0, 0), 2 * GIB, GIB / 2));
    assertEquals(List.of("run:31 0 " + 2 * GIB, "foreign 0 " + GIB / 2), written);
  }

  @Test
  void whatIsChargedAlreadyIsLeftAlone() {
    assertEquals(List.of(), charge(region(2 * GIB, GIB), 2 * GIB, GIB));
    assertEquals(List.of(), charge(region(2 * GIB, GIB), 2 * GIB - UNIT_BYTES + 1, GIB));
    assertEquals(List.of(), written);
  }

  @Test
  void whatIsNoLongerSeenIsNoLongerCharged() {
    assertEquals(
        List.of(
            "run:31: no longer charged beyond what it holds of device 0",
            "device 0: no longer in use by programs of no job"),
        charge(region(2 * GIB, GIB), 0, 0));
    assertEquals(List.of("run:31 0 0", "foreign 0 0"), written);
  }

  /** No job may get the memory of a program whose job has just ended. */
  @Test
  void whatRisesIsWrittenBeforeWhatFalls() {
    charge(region(2 * GIB, 0), 0, 2 * GIB);
    assertEquals(List.of("foreign 0 " + 2 * GIB, "run:31 0 0"), written);
  }

  @Test
  void whatIsNotKnownStaysAsItWas() {
    RegionSnapshot region = region(2 * GIB, GIB);
    assertEquals(
        List.of(), OverrunCharger.charge(book, region, Overruns.of(region, region, Map.of())));
    assertEquals(List.of(), OverrunCharger.charge(book, region, GpuUse.UNKNOWN));
    assertEquals(List.of(), written);
  }

  @Test
  void aDeviceThatTheJobLeftIsNoLongerCharged() {
    RegionSnapshot plain = region(0, 0);
    Job stray = Snapshots.withOverrun(plain.jobs().get(0), Map.of(1, GIB));
    RegionSnapshot region =
        Snapshots.snapshot(plain.devices(), List.of(stray), List.of(), List.of(), List.of());
    Map<Integer, Seen> seen = new TreeMap<>();
    seen.put(1, new Seen(Optional.of(List.of()), OptionalLong.empty()));
    OverrunCharger.charge(book, region, Overruns.of(region, region, seen));
    assertEquals(List.of("run:31 1 0"), written);
  }

  @Test
  void aJobThatEndedMeanwhileIsNotSpokenOf() {
    jobIsThere = false;
    assertEquals(List.of(), charge(region(0, 0), 2 * GIB, 0));
  }
}
