package org.schedgpu.gres.site;

/** The severity of a warning, the worst first. */
public enum Severity {
  /** A daemon of Slurm would exit. */
  FATAL("Slurm does not start with this:"),
  /** Devices, nodes or jobs are lost, or jobs run unprotected. */
  LOSS("What is lost, or not protected:"),
  /** Slurm counts, bills or gives something else than before. */
  COUNTS("What jobs and users get otherwise:"),
  /** Good to know. */
  NOTE("To know:");

  private final String heading;

  Severity(String heading) {
    this.heading = heading;
  }

  /** The heading above all notices of this severity. */
  public String heading() {
    return heading;
  }
}
