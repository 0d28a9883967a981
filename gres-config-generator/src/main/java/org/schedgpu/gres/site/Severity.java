package org.schedgpu.gres.site;

/** The severity of a warning, the worst first. */
public enum Severity {
  /** A daemon of Slurm ends at it. */
  FATAL("Slurm does not start with this:"),
  /** Devices, nodes or jobs are lost, or jobs run unprotected. */
  LOSS("What is lost, or not protected:"),
  /** Something else is counted, billed or given than before. */
  COUNTS("What jobs and users get otherwise:"),
  /** Good to know. */
  NOTE("To know:");

  private final String heading;

  Severity(String heading) {
    this.heading = heading;
  }

  /** What stands above all that is so. */
  public String heading() {
    return heading;
  }
}
