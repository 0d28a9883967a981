package org.schedgpu.agent.context;

import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.schedgpu.agent.conf.Conf;

/**
 * Limits on learned context sizes: users' programs influence them, and memory reserved for contexts
 * is missing for all jobs.
 */
public final class ContextBounds {
  /** The largest accepted multiple of the configured size. */
  private static final int MOST = 2;

  private final Consumer<String> warnings;
  private final Set<String> told = new HashSet<>();

  /**
   * @param warnings receives one line for each rejected size, once
   */
  public ContextBounds(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * The context size to use. If users may not write the region, their programs do not influence it.
   *
   * @param device its name
   * @param learned empty if nothing is known
   */
  public long bytes(Conf conf, String device, OptionalLong learned, long configuredBytes) {
    if (!conf.learnContext() || conf.brokered() || learned.isEmpty()) {
      return configuredBytes;
    }
    long mostBytes = MOST * configuredBytes;
    if (learned.getAsLong() > mostBytes && told.add(device + " " + configuredBytes)) {
      warnings.accept(
          "context name=\"%s\" bytes=%d: learned %d, but at most twice ContextBytes=%d is used: if"
                  .formatted(device, mostBytes, learned.getAsLong(), configuredBytes)
              + " contexts are so large, write it into devices.conf, else see who takes memory that"
              + " nobody reserved: schedgpu doctor");
    }
    return Math.min(learned.getAsLong(), mostBytes);
  }
}
