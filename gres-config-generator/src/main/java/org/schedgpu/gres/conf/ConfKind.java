package org.schedgpu.gres.conf;

/** The kinds of files with the syntax Key=Value; they differ in their keys. */
public enum ConfKind {
  SLURM_CONF("slurm.conf"),
  GRES_CONF("gres.conf"),
  CGROUP_CONF("cgroup.conf");

  private final String fileName;

  ConfKind(String fileName) {
    this.fileName = fileName;
  }

  /** The usual name. */
  public String fileName() {
    return fileName;
  }
}
