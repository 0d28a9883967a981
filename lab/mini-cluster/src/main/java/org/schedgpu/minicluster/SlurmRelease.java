package org.schedgpu.minicluster;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A release of Slurm, such as {@code 24.11}: the configuration of daemons differs between releases.
 * Immutable.
 *
 * @param year of {@code 24.11}, 24
 * @param month of {@code 24.11}, 11
 */
public record SlurmRelease(int year, int month) {
  private static final Pattern VERSION = Pattern.compile("\\D*(\\d{2})\\.(\\d{2})\\D.*");

  /**
   * The installed release.
   *
   * @throws MiniClusterException if slurmctld is missing or does not print its version
   */
  public static SlurmRelease installed() {
    return Installed.RELEASE;
  }

  /** Read once, because that starts a process. */
  private static final class Installed {
    static final SlurmRelease RELEASE =
        parse(CommandRunner.run("slurmctld", "-V").orThrow().stdout().strip());
  }

  /** Reads {@code slurm-wlm 22.05.8} or {@code slurm 24.11.5}. */
  static SlurmRelease parse(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      throw new MiniClusterException("slurmctld -V says no version: " + version);
    }
    return new SlurmRelease(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** True if it is this release or a newer one. */
  public boolean isAtLeast(int otherYear, int otherMonth) {
    return 100 * year + month >= 100 * otherYear + otherMonth;
  }

  /** The plugin of slurmrestd that serves jobs and nodes: one for each version before 23.11. */
  String restPlugin() {
    return isAtLeast(23, 11) ? "slurmctld" : "v0.0.38";
  }

  /** The content of cgroup.conf. From 23.11 on slurmd complains about CgroupAutomount. */
  String cgroupConf(boolean versionTwo) {
    String plugin = versionTwo ? "cgroup/v2\nIgnoreSystemd=yes" : "cgroup/v1";
    String automount = versionTwo || isAtLeast(23, 11) ? "" : "CgroupAutomount=yes\n";
    return "CgroupPlugin=" + plugin + "\n" + automount + "ConstrainDevices=yes\n";
  }

  /**
   * The content where nothing is constrained: otherwise slurmd would search for systemd all the
   * same.
   */
  String noCgroupConf() {
    return isAtLeast(24, 5)
        ? "CgroupPlugin=disabled\n"
        : "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\n";
  }
}
