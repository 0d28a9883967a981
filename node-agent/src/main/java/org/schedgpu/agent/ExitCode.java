package org.schedgpu.agent;

/** Exit codes of {@code schedgpu}, as in its man page. */
final class ExitCode {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int NO_REGION = 3;

  /** EX_CONFIG of sysexits.h, which systemd shows as CONFIG. */
  static final int CONFIGURATION = 78;

  static final int CANNOT_EXECUTE = 126;
  static final int NOT_FOUND = 127;

  private ExitCode() {}
}
