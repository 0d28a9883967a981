package org.schedgpu.agent.log;

import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.LibraryNotFoundException;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;

/** Logs a repeated problem once, and once more when it is over. */
public final class LogOnce {
  private final Logger log;
  private String told = "";

  /**
   * @param log receives the messages
   */
  public LogOnce(Logger log) {
    this.log = log;
  }

  /** An unexpected exception is logged with its place in the program. */
  public void tell(String text, RuntimeException problem) {
    if (text.equals(told)) {
      return;
    }
    told = text;
    if (isForeseen(problem)) {
      text.lines().forEach(log::error);
    } else {
      log.error("{}: this is a defect, please report it", text, problem);
    }
  }

  /** The problem is over. */
  public void over() {
    if (!told.isEmpty()) {
      log.info("over: {}", told.lines().findFirst().orElse(told));
      told = "";
    }
  }

  private static boolean isForeseen(RuntimeException problem) {
    return problem instanceof SchedGpuException
        || problem instanceof AgentException
        || problem instanceof NvmlException
        || problem instanceof LibraryNotFoundException;
  }
}
