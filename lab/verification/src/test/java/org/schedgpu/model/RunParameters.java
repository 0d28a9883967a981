package org.schedgpu.model;

import java.util.concurrent.ThreadLocalRandom;
import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Seed and length of a run: -Dschedgpu.seed=NUMBER repeats one, -Dschedgpu.histories=NUMBER makes
 * it shorter or longer. The seed is always printed.
 */
final class RunParameters implements AroundPropertyHook {
  private static final String SEED = "schedgpu.seed";
  private static final String HISTORIES = "schedgpu.histories";

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    String seed = System.getProperty(SEED, Long.toString(ThreadLocalRandom.current().nextLong()));
    System.out.println(
        "verification: seed " + seed + " (-D" + SEED + "=" + seed + " repeats this run)");
    context.attributes().setSeed(seed);
    Integer histories = Integer.getInteger(HISTORIES);
    if (histories != null) {
      context.attributes().setTries(histories);
    }
    return property.execute();
  }

  /** Runs before jqwik reads the attributes. */
  @Override
  public int aroundPropertyProximity() {
    return -100;
  }
}
