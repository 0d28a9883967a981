package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;

class RunDirSettingTest {
  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

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
            "rundir=/a # why\nPolicy=fifo\n",
            "\tRunDir=/a#why\r\n")) {
      assertEquals(
          Optional.of(Conf.parse(folder, conf.lines().toList()).runDir()), read(conf), conf);
    }
  }

  @Test
  void ofAnotherKeyNothingIsAsked() throws IOException {
    assertEquals(Optional.of(Path.of("/a")), read("RunDir=/a\nWait=tomorrow\n"));
  }

  @Test
  void whatIsNoPlainLineIsLeftToTheWholeReader() throws IOException {
    for (String conf :
        List.of(
            "RunDir=\"/a b\"\n",
            "RunDir=/a Policy=fifo\n",
            "RunDir\n",
            "RunDir=relative\n",
            "RunDir=/a\0b\n",
            "RunDir=/a\nRunDir=/b\n")) {
      assertEquals(Optional.empty(), read(conf), conf);
    }
  }
}
