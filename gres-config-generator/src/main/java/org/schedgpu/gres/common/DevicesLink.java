package org.schedgpu.gres.common;

import java.nio.file.Path;

/**
 * The link by which a node finds the devices.conf that lies beside slurm.conf. schedgpu.conf names
 * the file by DevicesFile; this is its default.
 */
public final class DevicesLink {
  /** Name of the file. */
  public static final String NAME = "devices.conf";

  private static final Path DEFAULT = Path.of("/etc/schedgpu", NAME);

  private DevicesLink() {}

  /**
   * The command that makes the link on a node.
   *
   * @param folder of slurm.conf
   */
  public static String command(Path folder) {
    return "ln -sf %s %s".formatted(folder.resolve(NAME), DEFAULT);
  }

  /** What to do on the nodes, in one line. */
  public static String note(Path folder) {
    return "each GPU node reads %s (DevicesFile): once on each, or a copy where it has its own files or Slurm is configless: %s"
        .formatted(DEFAULT, command(folder));
  }
}
