package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Receives the Xids of devices from now on: errors that the driver reports by number (NVIDIA, "XID
 * Errors"). Used by one thread.
 */
public final class NvmlXids implements AutoCloseable {
  private static final long XID = 0x8;
  private static final int SUCCESS = 0;
  private static final int TIMEOUT = 10;
  private static final int AT_ONCE_MS = 0;

  /** {@code nvmlEventData_t}: device, type, data, two instances. */
  private static final int EVENT_SIZE = 32;

  private static final int DATA = 16;

  /** The limit for a lost device, which reports without end. */
  private static final int MAX_AT_ONCE = 100;

  private final NvmlProcesses.Library library;
  private final Pointer set;
  private final Map<Pointer, String> uuids;
  private final Memory event = new Memory(EVENT_SIZE);

  /**
   * A problem of a device.
   *
   * @param uuid of the device; "" if NVML does not name it
   */
  public record Xid(String uuid, long number) {}

  private NvmlXids(NvmlProcesses.Library library, Pointer set, Map<Pointer, String> uuids) {
    this.library = library;
    this.set = set;
    this.uuids = uuids;
  }

  /** Empty if no device reports Xids. */
  static Optional<NvmlXids> of(NvmlProcesses.Library library, Map<Pointer, String> devices) {
    PointerByReference set = new PointerByReference();
    if (library.call("nvmlEventSetCreate", set).orElse(TIMEOUT) != SUCCESS) {
      return Optional.empty();
    }
    Map<Pointer, String> registered = new LinkedHashMap<>();
    devices.forEach(
        (device, uuid) -> {
          if (supports(library, device)
              && library
                  .call("nvmlDeviceRegisterEvents", device, XID, set.getValue())
                  .filter(result -> result == SUCCESS)
                  .isPresent()) {
            registered.put(device, uuid);
          }
        });
    NvmlXids xids = new NvmlXids(library, set.getValue(), registered);
    if (registered.isEmpty()) {
      xids.close();
      return Optional.empty();
    }
    return Optional.of(xids);
  }

  private static boolean supports(NvmlProcesses.Library library, Pointer device) {
    LongByReference types = new LongByReference();
    return library
        .call("nvmlDeviceGetSupportedEventTypes", device, types)
        .filter(result -> result == SUCCESS && (types.getValue() & XID) != 0)
        .isPresent();
  }

  /** The events since the last call, oldest first. Does not wait. */
  public List<Xid> take() {
    List<Xid> taken = new ArrayList<>();
    while (taken.size() < MAX_AT_ONCE) {
      event.clear();
      int result = library.call("nvmlEventSetWait_v2", set, event, AT_ONCE_MS).orElse(TIMEOUT);
      if (result == TIMEOUT) {
        return taken;
      }
      Nvml.check("nvmlEventSetWait_v2", result);
      taken.add(new Xid(uuids.getOrDefault(event.getPointer(0), ""), event.getLong(DATA)));
    }
    return taken;
  }

  @Override
  public void close() {
    library.call("nvmlEventSetFree", set);
  }
}
