package org.schedgpu.agent.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Control groups of Slurm 26.05, named by the SLUID. */
class SluidsTest {
  private static final String SCOPE = "0::/system.slice/slurmstepd.scope/";
  private static final String SLUID = "s7HC1W9R9G3Y00";

  @TempDir private Path runDir;
  private Sluids sluids;

  @BeforeEach
  void record() throws IOException {
    Path folder = Files.createDirectory(runDir.resolve("sluid"));
    Files.createSymbolicLink(folder.resolve(SLUID), Path.of("42"));
    sluids = Sluids.in(runDir);
  }

  @Test
  void theNumberStandsInsteadOfTheSluid() {
    assertEquals(
        SCOPE + "job_42/step_0/user/task_0",
        sluids.withNumber(SCOPE + SLUID + "/step_0/user/task_0"));
    assertEquals(
        OptionalLong.of(42),
        JobFinder.slurmJob(List.of(sluids.withNumber(SCOPE + SLUID + "/step_0"))));
  }

  @Test
  void whatIsNotRecordedStaysAndIsOfNoJobThatTheRegionKnows() {
    String other = SCOPE + "s7HC1W9R9G3Y01/step_0";
    assertEquals(other, sluids.withNumber(other));
    assertEquals(OptionalLong.of(0), JobFinder.slurmJob(List.of(other)));
  }

  @Test
  void otherGroupsStay() {
    for (String line :
        List.of(SCOPE + "job_7/step_0", SCOPE + "system", "0::/user.slice/" + SLUID, "0::/")) {
      assertEquals(line, sluids.withNumber(line));
    }
    assertEquals(OptionalLong.empty(), JobFinder.slurmJob(List.of(SCOPE + "system")));
  }

  @Test
  void aJobHasItsSluid() {
    assertEquals(Optional.of(SLUID), sluids.sluid(42));
    assertEquals(Optional.empty(), sluids.sluid(43));
    assertEquals(Optional.empty(), Sluids.NONE.sluid(42));
  }
}
