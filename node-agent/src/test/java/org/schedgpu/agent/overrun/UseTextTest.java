package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

class UseTextTest {
  private static GpuUser user(int pid, String name) {
    return Snapshots.user(pid, name, 1, Optional.empty(), false);
  }

  private static final List<GpuUser> USERS =
      List.of(user(4711, "train"), user(4712, "data"), user(4713, ""));

  @ParameterizedTest
  @CsvSource({
    "40, '4711 train, 4712 data, 4713'",
    "27, '4711 train, 4712 data, 4713'",
    "26, '4711 train, 4712 data +1'",
    "24, '4711 train, 4712 data +1'",
    "23, '4711 train +2'",
    "13, '4711 train +2'",
    "11, '4711 tr+ +2'"
  })
  void asManyProcessesAsFitAreNamed(int width, String names) {
    assertEquals(names, UseText.names(USERS, width));
  }

  @Test
  void aProgramWithinWhatItsJobHoldsIsNamedToo() {
    RegionSnapshot busy = Snapshots.busy();
    Job job = Snapshots.job(busy, 4711).orElseThrow();
    GpuUser silent = Snapshots.user(9, "train", Snapshots.GIB, Optional.of(job), false);
    GpuUse use =
        Overruns.of(
            busy,
            busy,
            Map.of(0, new Overruns.Seen(Optional.of(List.of(silent)), OptionalLong.empty())));
    assertEquals(
        Optional.of("   unscheduled on device 0 (within what the job holds): 9 train"),
        UseText.of(job, 0, use.of(job, 0)));
  }

  @Test
  void sizesHaveTheirUnit() {
    assertEquals("0 MiB", Texts.size(0));
    assertEquals("716 MiB", Texts.size(716L << 20));
    assertEquals("1.5 GiB", Texts.size(1536L << 20));
  }
}
