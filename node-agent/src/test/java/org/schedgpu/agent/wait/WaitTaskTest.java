package org.schedgpu.agent.wait;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.history.Clock;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.jna.RegionSnapshot;

/** What the task gives to its parts. */
class WaitTaskTest {
  @TempDir private Path folder;

  /** The file's times are those of CLOCK_MONOTONIC: the wall clock would end both exclusions. */
  @Test
  void exclusionsEndByTheClockThatNobodyCanSet() throws IOException {
    long nowNs = RegionSnapshot.nowNs();
    Files.writeString(
        folder.resolve("requeued"),
        Clock.bootId()
            + "\n"
            + new Excluded(7, nowNs, true).line()
            + new Excluded(8, nowNs + TimeUnit.DAYS.toNanos(1), true).line());
    FakeSlurm slurm = new FakeSlurm();
    slurm.put(7, "PENDING", -1, 1, "");
    slurm.put(8, "PENDING", -1, 1, "");
    Path file = folder.resolve("schedgpu.conf");
    Files.writeString(file, "HistoryFile=" + folder.resolve("history.jsonl") + "\n");
    Conf conf = Conf.read(Optional.of(file));

    try (RegionAccess noRegion = new RegionAccess(folder, 1)) {
      new WaitTask(noRegion, () -> conf, slurm, "n1").run(0);
    }

    assertEquals(List.of("admit 7 n1"), slurm.done);
  }
}
