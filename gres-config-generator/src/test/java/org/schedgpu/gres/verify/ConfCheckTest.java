package org.schedgpu.gres.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the release of slurmctld makes of lines that are right. */
class ConfCheckTest {
  @TempDir Path folder;

  private List<String> notes(String version) {
    ConfCheck check = new ConfCheck(folder);
    check.compare(Map.of("SLURM_VERSION", version));
    return check.notes();
  }

  @Test
  void slurm2302ForgetsLinks() throws IOException {
    Path gresConf = folder.resolve("gres.conf");
    Files.writeString(gresConf, "NodeName=g Name=gpu File=/dev/nvidia0 Links=-1,1\n");
    assertTrue(notes("23.02.8").get(0).startsWith("Slurm 23.02 forgets Links="));
    assertEquals(List.of(), notes("22.05.8"));
    Files.writeString(gresConf, "NodeName=g Name=gpu File=/dev/nvidia0\n");
    assertEquals(List.of(), notes("23.02.8"));
  }
}
