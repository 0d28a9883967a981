package org.schedgpu.model;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/** Seed and length of a run from -Dschedgpu.seed and -Dschedgpu.histories. */
final class RunParameters implements AroundPropertyHook {
  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    String seed = System.getProperty("schedgpu.seed", "");
    if (!seed.isEmpty()) {
      context.attributes().setSeed(seed);
    }
    String histories = System.getProperty("schedgpu.histories", "");
    if (!histories.isEmpty()) {
      context.attributes().setTries(Integer.valueOf(histories));
    }
    return property.execute();
  }

  @Override
  public int aroundPropertyProximity() {
    return -100;
  }
}
