package org.schedgpu.agent.limit;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.schedgpu.agent.device.NvmlAccess;

/**
 * Whether the driver has such limits: asked once for each driver, and logged once if it has none.
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
   * @param nowOpened changes with the driver: {@link NvmlAccess#opened}
   * @param probe asks the driver
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

  /** The function exists, and reports that it is not supported. */
  void hasNone() {
    supported = false;
    if (!told) {
      log.accept("limits: this driver has none per control group: budgets are not made its limits");
    }
    told = true;
  }
}
