package org.schedgpu.agent.report;

import org.schedgpu.agent.problem.AgentException;

/** A report cannot be written; the message says why, and what to do. */
public final class ReportException extends AgentException {
  private static final long serialVersionUID = 1L;

  ReportException(String message) {
    super(message);
  }

  ReportException(String message, Throwable cause) {
    super(message, cause);
  }
}
