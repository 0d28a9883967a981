package org.schedgpu.agent.slurm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.gres.common.SlurmVersion;

/** A gres.conf that is older than Slurm: doctor and the agent's log report it. */
class GresLinksTest {
  private static final SlurmVersion OLD = SlurmVersion.parse("22.05.8");
  private static final SlurmVersion NEW = SlurmVersion.parse("24.11.5");

  @TempDir private Path folder;
  private Path slurmConf;

  @BeforeEach
  void writeFiles() throws IOException {
    slurmConf = Files.writeString(folder.resolve("slurm.conf"), "");
    Files.writeString(
        folder.resolve("gres.conf"),
        """
        # BEGIN schedgpu gres 00000000
        NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=-1,1,0,1
        NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,-1,1,0
        NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidiactl Links=0,1,-1,1
        NodeName=gpu1 Name=gpu MultipleFiles=/dev/nvidia1,/dev/nvidiactl Links=1,0,1,-1
        # END schedgpu gres
        """);
  }

  @Test
  void doctorSaysWhetherItSuitsTheInstalledSlurm() {
    Finding old = GresLinks.check(slurmConf, () -> Optional.of(OLD)).orElseThrow();
    assertTrue(old.ok(), old::toString);
    Finding now = GresLinks.check(slurmConf, () -> Optional.of(NEW)).orElseThrow();
    assertFalse(now.ok());
    assertTrue(now.text().startsWith("Links= of gpu1 in gres.conf is written"), now::toString);
    assertEquals("plan and apply again, for Slurm 24.11", now.todo());
  }

  @Test
  void withoutSlurmOrFileThereIsNothingToSay() throws IOException {
    assertEquals(Optional.empty(), GresLinks.check(slurmConf, Optional::empty));
    Files.delete(folder.resolve("gres.conf"));
    assertEquals(Optional.empty(), GresLinks.check(slurmConf, () -> Optional.of(NEW)));
  }

  @Test
  void aFileThatSlurmdWouldRefuseIsWrong() throws IOException {
    Files.writeString(folder.resolve("gres.conf"), "Name=gpu MultipleFiles=/dev/nvidia0\n");
    Finding finding = GresLinks.check(slurmConf, () -> Optional.of(NEW)).orElseThrow();
    assertFalse(finding.ok());
    assertEquals("correct that: slurmd reads the file", finding.todo());
  }

  @Test
  void theAgentLogsItOnceAndThatItIsOver() {
    List<String> logged = new ArrayList<>();
    List<SlurmVersion> installed = new ArrayList<>(List.of(NEW));
    GresLinksTask task =
        new GresLinksTask(
            Map.of("SLURM_CONF", slurmConf.toString()), () -> Optional.of(installed.get(0)));
    Logger log = Logger.getLogger(GresLinksTask.class.getName());
    Handler handler = handler(logged);
    log.addHandler(handler);
    try {
      task.run(0);
      task.run(0);
      installed.set(0, OLD);
      task.run(0);
    } finally {
      log.removeHandler(handler);
    }
    List<String> begins =
        Stream.of("Links= of gpu1 in gres.conf is written for Slurm before", "over: Links= of gpu1")
            .toList();
    assertEquals(begins.size(), logged.size(), logged::toString);
    for (int i = 0; i < begins.size(); i++) {
      assertTrue(logged.get(i).startsWith(begins.get(i)), logged::toString);
    }
  }

  private static Handler handler(List<String> logged) {
    return new Handler() {
      @Override
      public void publish(LogRecord entry) {
        Object[] values = entry.getParameters();
        logged.add(
            values == null
                ? entry.getMessage()
                : entry.getMessage().replace("{0}", "").replace("{}", String.valueOf(values[0])));
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }
}
