package org.schedgpu.agent.limit;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.schedgpu.agent.device.NvmlAccess;

/**
 * Whether the driver has limits at all: asked once of each driver, and told once if it has none.
 */
final class DriverSupport {
  private final Consumer<String> log;
  private int opened;
  private boolean supported;
  private boolean told;

  /**
   * @param log gets one line about the first driver without support for limits
   */
  DriverSupport(Consumer<String> log) {
    this.log = log;
  }

  /**
   * @param nowOpened another number, perhaps another driver: {@link NvmlAccess#opened}
   * @param probe asks it
   */
  boolean has(int nowOpened, BooleanSupplier probe) {
    if (nowOpened != opened) {
      opened = nowOpened;
      supported = true;
      if (!probe.getAsBoolean()) {
        hasNone();
      }
    }
    return supported;
  }

  /** It has the function, and says that it does not support it. */
  void hasNone() {
    supported = false;
    if (!told) {
      log.accept("limits: this driver has none per control group: budgets are not made its limits");
    }
    told = true;
  }
}
