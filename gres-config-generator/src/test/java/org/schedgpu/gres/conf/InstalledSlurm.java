package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Asks the installed Slurm how it reads files. scontrol reads slurm.conf before anything else. */
final class InstalledSlurm {
  private static final Path SCONTROL = Path.of("/usr/bin/scontrol");
  private static final String MINIMUM =
      "ClusterName=x\nSlurmctldHost=localhost\nNodeName=minimum\n";

  private final Path folder;

  InstalledSlurm(Path folder) {
    this.folder = folder;
  }

  /** Other releases read in other ways, so the tests ask only the one that they describe. */
  void assume2205() {
    assumeTrue(Files.isExecutable(SCONTROL), "no scontrol: install slurm-client");
    String version = scontrol("-V").output();
    assumeTrue(version.contains("22.05"), "not Slurm 22.05: " + version);
  }

  record Answer(int status, String output) {}

  /** True if Slurm accepts the lines, added to a minimal cluster. */
  Answer reads(byte[] lines) {
    try {
      Path file = folder.resolve("asked.conf");
      byte[] minimum = MINIMUM.getBytes(StandardCharsets.UTF_8);
      byte[] all = java.util.Arrays.copyOf(minimum, minimum.length + lines.length);
      System.arraycopy(lines, 0, all, minimum.length, lines.length);
      Files.write(file, all);
      return run(file, "show", "hostnames", "a");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** True if Slurm accepts a whole file and its includes. */
  Answer readsFile(Path slurmConf) {
    return run(slurmConf, "show", "hostnames", "a");
  }

  /** scontrol with a minimal configuration. */
  Answer scontrol(String... arguments) {
    Path file = Confs.write(folder, "minimum.conf", MINIMUM);
    return run(file, arguments);
  }

  private static Answer run(Path slurmConf, String... arguments) {
    List<String> command = new ArrayList<>(List.of(SCONTROL.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SLURM_CONF", slurmConf.toString());
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      byte[] output = process.getInputStream().readAllBytes();
      return new Answer(process.waitFor(), new String(output, StandardCharsets.ISO_8859_1).strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
