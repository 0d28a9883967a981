package org.schedgpu.minicluster;

/**
 * The cluster could not do what was asked. The message says what is wrong, with the value and what
 * to do, and has the end of the daemons' logs if they show the reason.
 */
public final class MiniClusterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MiniClusterException(String message) {
    super("mini-cluster: " + message);
  }

  MiniClusterException(String message, Throwable cause) {
    super("mini-cluster: " + message, cause);
  }
}
