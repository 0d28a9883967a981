package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.RealLibrary;

/** The keys for learning from earlier runs. */
class SuggestConfTest {
  private static final Path FILE = Path.of("/etc/schedgpu/schedgpu.conf");

  @BeforeAll
  static void library() {
    RealLibrary.require();
  }

  private static Conf parse(String... lines) {
    return Conf.parse(FILE, String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void defaults() {
    Conf conf = parse();
    assertFalse(conf.learnsDefaultMem());
    assertTrue(conf.endHint());
    assertEquals(Optional.empty(), conf.slurmComment());
    assertEquals(Optional.empty(), conf.slurmRest());
    assertEquals("root", conf.slurmRestUser());
    assertEquals(Optional.empty(), conf.slurmRestToken());
  }

  @Test
  void theyAreRead() {
    Conf conf =
        parse(
            "DefaultMem=Learned",
            "EndHint=No",
            "SlurmComment=Admin_Comment",
            "SlurmRest=http://localhost:6820",
            "SlurmRestUser=slurm",
            "SlurmRestToken=/etc/schedgpu/token");
    assertTrue(conf.learnsDefaultMem());
    assertEquals(Optional.empty(), conf.defaultMem());
    assertFalse(conf.endHint());
    assertEquals(Optional.of("admin_comment"), conf.slurmComment());
    assertEquals(Optional.of("http://localhost:6820"), conf.slurmRest());
    assertEquals("slurm", conf.slurmRestUser());
    assertEquals(Optional.of(Path.of("/etc/schedgpu/token")), conf.slurmRestToken());
  }

  @Test
  void whatIsNotLearnedHasAFallback() {
    for (String value : List.of("learned,2G", "LEARNED,40%", "learned,none")) {
      assertTrue(parse("DefaultMem=" + value).learnsDefaultMem(), value);
    }
    assertEquals(Optional.of("2G"), parse("DefaultMem=learned,2G").defaultMem());
    assertEquals(Optional.empty(), parse("DefaultMem=learned,none").defaultMem());
    assertFalse(parse("DefaultMem=2G").learnsDefaultMem());
    assertFalse(parse("DefaultMem=none").learnsDefaultMem());
  }
}
