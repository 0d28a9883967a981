package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunDirSettingTest {
  @TempDir Path folder;

  private Map<String, String> environment() {
    return Map.of("SLURM_CONF", folder.resolve("slurm.conf").toString());
  }

  private Optional<Path> read(String conf) throws IOException {
    Files.writeString(folder.resolve("schedgpu.conf"), conf);
    return RunDirSetting.read(environment());
  }

  @Test
  void itIsWhatTheWholeConfigurationSays() throws IOException {
    for (String conf :
        List.of(
            "",
            "Policy=fifo\n# RunDir=/no\n",
            "RunDir=/a/b\n",
            "rundir=\"/with a blank\" # why\nPolicy=fifo\n")) {
      assertEquals(
          Optional.of(Conf.parse(folder, conf.lines().toList()).runDir()), read(conf), conf);
    }
  }

  @Test
  void ofAnotherKeyNothingIsAsked() throws IOException {
    assertEquals(Optional.of(Path.of("/a")), read("RunDir=/a\nWait=tomorrow\n"));
  }

  @Test
  void oneThatIsWrongIsNone() throws IOException {
    for (String conf :
        List.of("RunDir\n", "RunDir=relative\n", "RunDir=/a\0b\n", "RunDir=/a\nRunDir=/b\n")) {
      assertEquals(Optional.empty(), read(conf), conf);
    }
  }
}
