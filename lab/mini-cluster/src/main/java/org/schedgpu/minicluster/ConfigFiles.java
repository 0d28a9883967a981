package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;

/** Writes the files that the daemons read at their start. */
final class ConfigFiles {
  private static final int MUNGE_KEY_BYTES = 128;
  private static final int JWT_KEY_BYTES = 32;

  private ConfigFiles() {}

  /**
   * Writes all of them.
   *
   * @throws MiniClusterException if one cannot be written, or a hook is not an executable file
   */
  static void write(
      ClusterSettings settings, int controllerPort, int accountingPort, List<Integer> nodePorts) {
    settings.hooks().forEach(ConfigFiles::requireExecutable);
    ClusterPaths paths = settings.paths();
    try {
      text(
          paths.slurmConf(),
          SlurmConf.text(settings, hostName(), controllerPort, accountingPort, nodePorts));
      text(paths.gresConf(), settings.gresConf());
      text(paths.plugstackConf(), settings.plugstackConf());
      if (settings.constrainDevices()) {
        text(
            paths.etc().resolve("cgroup.conf"),
            SlurmRelease.installed().cgroupConf(Cgroups.isVersionTwo()));
      } else if (Cgroups.isVersionTwo()) {
        text(paths.etc().resolve("cgroup.conf"), SlurmRelease.installed().noCgroupConf());
      }
      secret(paths.munge().resolve("key"), MUNGE_KEY_BYTES);
      CommandRunner.run("chown", "-R", "munge:munge", paths.munge().toString()).orThrow();
      if (settings.accounting()) {
        secretText(paths.slurmdbdConf(), SlurmConf.slurmdbd(paths, accountingPort));
      }
      if (settings.restJwt()) {
        secret(paths.jwtKey(), JWT_KEY_BYTES);
      }
    } catch (IOException e) {
      throw new MiniClusterException("cannot write the configuration in " + paths.etc(), e);
    }
  }

  private static void requireExecutable(Path program) {
    if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
      throw new MiniClusterException(
          "prolog or epilog "
              + program
              + " is not an executable file: build it or correct the path");
    }
  }

  private static String hostName() throws IOException {
    String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    int dot = name.indexOf('.');
    return dot < 0 ? name : name.substring(0, dot);
  }

  private static void text(Path file, String contents) throws IOException {
    Files.writeString(file, contents, StandardCharsets.UTF_8);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
  }

  /** slurmdbd refuses a file that others may read. */
  private static void secretText(Path file, String contents) throws IOException {
    text(file, contents);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private static void secret(Path file, int bytes) throws IOException {
    byte[] key = new byte[bytes];
    new SecureRandom().nextBytes(key);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(file, key);
  }
}
