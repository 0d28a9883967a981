package org.schedgpu.agent.command;

/** Exit codes of {@code schedgpu}, as in its man page. */
public final class ExitCode {
  /** All went well. */
  public static final int OK = 0;

  /** The command failed; stderr says why and what to do. */
  public static final int FAILED = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** There is no region on this node. */
  public static final int NO_REGION = 3;

  /** {@code schedgpu estimate}: the sizes of some allocations are unknown. */
  public static final int PARTLY_UNKNOWN = 4;

  /** EX_CONFIG of sysexits.h, which systemd shows as CONFIG. */
  public static final int CONFIGURATION = 78;

  /** The command of {@code schedgpu run} exists but cannot be started; shells use the same code. */
  public static final int CANNOT_EXECUTE = 126;

  /** The command was not found; shells use the same code. */
  public static final int NOT_FOUND = 127;

  private ExitCode() {}
}
