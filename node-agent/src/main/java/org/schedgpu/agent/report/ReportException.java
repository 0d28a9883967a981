package org.schedgpu.agent.report;

/** Why there is no report, and what to do. */
public final class ReportException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ReportException(String message) {
    super(message);
  }

  ReportException(String message, Throwable cause) {
    super(message, cause);
  }
}
