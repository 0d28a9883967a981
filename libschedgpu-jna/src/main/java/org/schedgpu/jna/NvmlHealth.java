package org.schedgpu.jna;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import java.util.OptionalLong;

/** A device's memory errors. */
final class NvmlHealth {
  private static final String FUNCTION = "nvmlDeviceGetTotalEccErrors";
  private static final int NOT_SUPPORTED = 3;
  private static final int FUNCTION_NOT_FOUND = 13;
  private static final int UNCORRECTED = 1;
  private static final int SINCE_DRIVER_WAS_LOADED = 0;

  private final NvmlProcesses.Library library;
  private final Pointer device;

  NvmlHealth(NvmlProcesses.Library library, Pointer device) {
    this.library = library;
    this.device = device;
  }

  OptionalLong uncorrectedErrors() {
    LongByReference count = new LongByReference();
    int result =
        library
            .call(FUNCTION, device, UNCORRECTED, SINCE_DRIVER_WAS_LOADED, count)
            .orElse(FUNCTION_NOT_FOUND);
    if (result == NOT_SUPPORTED || result == FUNCTION_NOT_FOUND) {
      return OptionalLong.empty();
    }
    Nvml.check(FUNCTION, result);
    return OptionalLong.of(count.getValue());
  }
}
