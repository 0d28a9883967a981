package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.rest.SlurmRestException;

/** How slurmrestd is found; other tests cover the requests. */
class SlurmJobsTest {
  @TempDir private Path folder;

  private Conf conf(String... lines) throws IOException {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add("SlurmComment=comment");
    return Conf.read(Optional.of(Files.write(folder.resolve("schedgpu.conf"), all)));
  }

  private static String refusal(Conf conf) {
    return assertThrows(AgentException.class, () -> SlurmJobs.connect(conf)).getMessage();
  }

  private Path token(String permissions) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "SLURM_JWT=abc\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void withoutAnAddressItSaysWhatToAdd() throws IOException {
    assertTrue(
        refusal(conf()).startsWith("SlurmComment needs SlurmRest: add SlurmRest=unix:/PATH"));
  }

  @Test
  void overHttpATokenIsNeeded() throws IOException {
    assertEquals(
        "SlurmRest=http://127.0.0.1:1 needs SlurmRestToken, a file with a token of scontrol token",
        refusal(conf("SlurmRest=http://127.0.0.1:1")));
    Path missing = folder.resolve("missing");
    assertTrue(
        refusal(conf("SlurmRest=http://127.0.0.1:1", "SlurmRestToken=" + missing))
            .startsWith("SlurmRestToken=" + missing + ": cannot be read"));
  }

  /** It is that of Slurm's administrator. */
  @Test
  void aTokenThatOthersMayReadIsRefused() throws IOException {
    for (String permissions : List.of("rw-r-----", "rw----r--", "rw--w----")) {
      Path file = token(permissions);
      assertEquals(
          "SlurmRestToken=%s: others than its owner may read it: chmod 600 %s"
              .formatted(file, file),
          refusal(conf("SlurmRest=http://127.0.0.1:1", "SlurmRestToken=" + file)),
          permissions);
    }
  }

  /** Refused by the client of HTTP it would be in the message. */
  @Test
  void aTokenOfSeveralLinesIsRefusedAndNotShown() throws IOException {
    Path file = token("rw-------");
    for (String text : List.of("SLURM_JWT=secret\nsecret\n", "secret more", "secr\u00e9t", "")) {
      Files.writeString(file, text);
      assertEquals(
          "SlurmRestToken=%s: must be one line, as scontrol token prints it".formatted(file),
          refusal(conf("SlurmRest=http://127.0.0.1:1", "SlurmRestToken=" + file)));
    }
  }

  @Test
  void nobodyThereIsReportedWithTheAddress() throws IOException {
    Conf conf = conf("SlurmRest=unix:" + folder.resolve("socket"));
    SlurmRestException problem =
        assertThrows(SlurmRestException.class, () -> SlurmJobs.connect(conf));

    assertEquals(SlurmRestException.Kind.UNREACHABLE, problem.kind());
    assertTrue(problem.getMessage().contains(folder.resolve("socket").toString()));
  }
}
