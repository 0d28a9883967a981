package org.schedgpu.agent.context;

import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.schedgpu.agent.conf.Conf;

/**
 * How far what was learned of contexts is believed: users' programs teach it, and what is reserved
 * for a context is taken from everybody's jobs.
 */
public final class ContextBounds {
  /** No more than so many times what is configured. */
  private static final int MOST = 2;

  private final Consumer<String> warnings;
  private final Set<String> told = new HashSet<>();

  /**
   * @param warnings takes a line for each size that is not believed, once
   */
  public ContextBounds(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /**
   * What a context is taken to need. Where users are not trusted with the region they do not teach.
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
