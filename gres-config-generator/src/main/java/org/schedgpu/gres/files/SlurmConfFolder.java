package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Where Slurm's configuration is when nobody names a folder. */
public final class SlurmConfFolder {
  private static final Path DEFAULT = Path.of("/etc/slurm");

  private SlurmConfFolder() {}

  /** The folder of SLURM_CONF, else /etc/slurm. */
  public static Path of(Map<String, String> environment) {
    String conf = environment.getOrDefault("SLURM_CONF", "");
    Path folder = conf.isEmpty() ? null : Path.of(conf).toAbsolutePath().getParent();
    return folder == null ? DEFAULT : folder;
  }

  /** Whether two paths lead to one folder; false if one is not there. */
  public static boolean same(Path a, Path b) {
    try {
      return a.toRealPath().equals(b.toRealPath());
    } catch (IOException e) {
      return false;
    }
  }
}
