package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** The default folder of Slurm's configuration. */
public final class SlurmConfFolder {
  private static final Path DEFAULT = Path.of("/etc/slurm");

  private SlurmConfFolder() {}

  /** The folder of SLURM_CONF, else /etc/slurm. */
  public static Path of(Map<String, String> environment) {
    String conf = environment.getOrDefault("SLURM_CONF", "");
    Path folder = conf.isEmpty() ? null : Path.of(conf).toAbsolutePath().getParent();
    return folder == null ? DEFAULT : folder;
  }

  /** True if two paths lead to the same folder; false if one does not exist. */
  public static boolean same(Path a, Path b) {
    try {
      return a.toRealPath().equals(b.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }
}
