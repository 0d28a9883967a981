package org.schedgpu.jna;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Asks NVML (libnvidia-ml.so.1) about the node's devices. The layouts are those of nvml.h. One
 * thread at a time uses one handle.
 */
public final class Nvml implements AutoCloseable {
  /** Processes of any number share a device. */
  public static final int COMPUTE_MODE_DEFAULT = 0;

  /** No process can use a device. */
  public static final int COMPUTE_MODE_PROHIBITED = 2;

  private static final String LIBRARY = "libnvidia-ml.so.1";
  private static final int SUCCESS = 0;
  private static final int NOT_SUPPORTED = 3;
  private static final int GPU_IS_LOST = 15;
  private static final int TEXT_SIZE = 96;
  private static final int MEMORY_V2_SIZE = 40;
  private static final int MEMORY_V2_VERSION = MEMORY_V2_SIZE | 2 << 24;

  private final NativeLibrary library;
  private final Map<String, Optional<Function>> functions = new HashMap<>();
  private final Map<Pointer, NvmlProcesses> processLists = new HashMap<>();

  /** For a number or a handle that NVML writes. */
  private final Memory answer = new Memory(Native.POINTER_SIZE);

  /**
   * An attempt to open NVML.
   *
   * @param nvml the handle, if NVML could be opened
   * @param reason the reason why not; "" if it could
   */
  public record Attempt(Optional<Nvml> nvml, String reason) {}

  /**
   * Memory of a device.
   *
   * @param reservedBytes what the driver keeps for itself; 0 if NVML does not report it (before
   *     version 2)
   */
  public record MemoryInfo(long totalBytes, long reservedBytes, long freeBytes, long usedBytes) {}

  /** A call of NVML failed. */
  public static final class NvmlException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NvmlException(String message) {
      super(message);
    }
  }

  /** A device. */
  public final class Device {
    private final int index;
    private final Pointer handle;
    private final String uuid;

    private Device(int index, Pointer handle, String uuid) {
      this.index = index;
      this.handle = handle;
      this.uuid = uuid;
    }

    public int index() {
      return index;
    }

    /** {@code GPU-...}. */
    public String uuid() {
      return uuid;
    }

    /** What the vendor calls it. */
    public String name() {
      byte[] text = new byte[TEXT_SIZE];
      check("nvmlDeviceGetName", Api.nvmlDeviceGetName(handle, text, text.length));
      return string(text);
    }

    /** n of {@code /dev/nvidiaN}. */
    public int minorNumber() {
      IntByReference minor = new IntByReference();
      check("nvmlDeviceGetMinorNumber", Api.nvmlDeviceGetMinorNumber(handle, minor));
      return minor.getValue();
    }

    /** Uses version 2 if the driver has it, because only that reports what the driver keeps. */
    public MemoryInfo memory() {
      Memory memory = new Memory(MEMORY_V2_SIZE);
      memory.clear();
      memory.setInt(0, MEMORY_V2_VERSION);
      Optional<Integer> result = optional("nvmlDeviceGetMemoryInfo_v2", handle, memory);
      if (result.isPresent() && result.get() == SUCCESS) {
        return new MemoryInfo(
            memory.getLong(8), memory.getLong(16), memory.getLong(24), memory.getLong(32));
      }
      check("nvmlDeviceGetMemoryInfo", Api.nvmlDeviceGetMemoryInfo(handle, memory));
      return new MemoryInfo(memory.getLong(0), 0, memory.getLong(8), memory.getLong(16));
    }

    /**
     * Percent of the last sample period in which a kernel ran; empty if the device does not support
     * it.
     */
    public OptionalInt utilizationPercent() {
      Memory utilization = new Memory(8);
      Optional<Integer> result = optional("nvmlDeviceGetUtilizationRates", handle, utilization);
      if (result.isEmpty() || result.get() == NOT_SUPPORTED) {
        return OptionalInt.empty();
      }
      check("nvmlDeviceGetUtilizationRates", result.get());
      return OptionalInt.of(utilization.getInt(0));
    }

    /**
     * The processes that use the device, by pid; empty if NVML does not report them, or not to this
     * user.
     */
    public Optional<List<GpuProcess>> processes() {
      return processLists
          .computeIfAbsent(handle, device -> new NvmlProcesses(Nvml.this::optional, device))
          .all();
    }

    /** True if the device is in MIG mode now; empty if it has no such mode. */
    public Optional<Boolean> migMode() {
      return new NvmlTopology(Nvml.this::optional, handle).migMode();
    }

    /**
     * The compute mode, {@link #COMPUTE_MODE_DEFAULT} and others; empty if NVML does not know it.
     */
    public OptionalInt computeMode() {
      IntByReference mode = new IntByReference();
      Optional<Integer> result = optional("nvmlDeviceGetComputeMode", handle, mode);
      return result.isPresent() && result.get() == SUCCESS
          ? OptionalInt.of(mode.getValue())
          : OptionalInt.empty();
    }

    /** Memory errors since the driver was loaded that ECC could not correct; empty without ECC. */
    public OptionalLong uncorrectedErrors() {
      return new NvmlHealth(Nvml.this::optional, handle).uncorrectedErrors();
    }

    /**
     * Limits the memory of a control group on this device. Root only.
     *
     * @param cgroup its folder, version 2
     * @return false if the driver has no such limits
     */
    public boolean limitMemory(Path cgroup, long bytes) {
      return new NvmlLimits(Nvml.this::optional, handle).set(cgroup, bytes);
    }

    /**
     * The CPUs near the device, with Linux' numbers; empty if NVML does not know.
     *
     * @param cpus how many CPUs of the node to ask about, from 0; at least 1
     */
    public Optional<BitSet> nearCpus(int cpus) {
      return new NvmlTopology(Nvml.this::optional, handle).nearCpus(cpus);
    }
  }

  /** The functions that every version of NVML has. */
  private static final class Api {
    private static Reference<NativeLibrary> registered = new WeakReference<>(null);
    private static NativeLibrary works;
    private static int registrations;

    /** Created once per library, because JNA never frees the few KiB that it allocates for it. */
    static void register(NativeLibrary library) {
      if (registered.get() != library) {
        Native.register(Api.class, library);
        registered = new WeakReference<>(library);
        registrations++;
      }
    }

    /**
     * A library that works stays loaded. After a change of the driver the file may be another one.
     */
    static void keep(NativeLibrary library, boolean working) {
      works = working ? library : null;
    }

    static native int nvmlInit_v2();

    static native int nvmlShutdown();

    static native String nvmlErrorString(int result);

    static native int nvmlDeviceGetCount_v2(Pointer count);

    static native int nvmlDeviceGetHandleByIndex_v2(int index, Pointer handle);

    static native int nvmlDeviceGetUUID(Pointer handle, byte[] text, int size);

    static native int nvmlDeviceGetName(Pointer handle, byte[] text, int size);

    static native int nvmlDeviceGetMinorNumber(Pointer handle, IntByReference minor);

    static native int nvmlDeviceGetMemoryInfo(Pointer handle, Pointer memory);
  }

  private Nvml(NativeLibrary library) {
    this.library = library;
  }

  /** Opens NVML, or gives the reason why that is not possible. */
  public static Attempt open() {
    return open(LIBRARY);
  }

  /** How often any thread has registered functions so far. */
  static synchronized int registrations() {
    return Api.registrations;
  }

  /** One thread at a time, because this may register the library's functions again. */
  static synchronized Attempt open(String name) {
    NativeLibrary library;
    try {
      library = NativeLibrary.getInstance(name);
      Api.register(library);
    } catch (UnsatisfiedLinkError missing) {
      return new Attempt(
          Optional.empty(),
          name + " cannot be loaded: install NVIDIA's driver, or start this on a GPU node");
    }
    int result = Api.nvmlInit_v2();
    Api.keep(library, result == SUCCESS);
    if (result != SUCCESS) {
      return new Attempt(
          Optional.empty(),
          "NVML does not start (" + Api.nvmlErrorString(result) + "): see nvidia-smi");
    }
    return new Attempt(Optional.of(new Nvml(library)), "");
  }

  @Override
  public void close() {
    check("nvmlShutdown", Api.nvmlShutdown());
  }

  /** All devices, by index. A device that the driver has given up as lost is left out. */
  public List<Device> devices() {
    check("nvmlDeviceGetCount_v2", Api.nvmlDeviceGetCount_v2(answer));
    int count = answer.getInt(0);
    List<Device> devices = new ArrayList<>(count);
    for (int index = 0; index < count; index++) {
      device(index).ifPresent(devices::add);
    }
    return devices;
  }

  private Optional<Device> device(int index) {
    if (!isThere(
        "nvmlDeviceGetHandleByIndex_v2", Api.nvmlDeviceGetHandleByIndex_v2(index, answer))) {
      return Optional.empty();
    }
    Pointer handle = answer.getPointer(0);
    byte[] uuid = new byte[TEXT_SIZE];
    return isThere("nvmlDeviceGetUUID", Api.nvmlDeviceGetUUID(handle, uuid, uuid.length))
        ? Optional.of(new Device(index, handle, string(uuid)))
        : Optional.empty();
  }

  private static boolean isThere(String function, int result) {
    if (result != GPU_IS_LOST) {
      check(function, result);
    }
    return result != GPU_IS_LOST;
  }

  /** The version of the driver, such as {@code 580.65.06}. */
  public String driverVersion() {
    byte[] text = new byte[TEXT_SIZE];
    check(
        "nvmlSystemGetDriverVersion",
        optional("nvmlSystemGetDriverVersion", text, text.length).orElse(NOT_SUPPORTED));
    return string(text);
  }

  /** Reports problems of devices from now on; empty if no device can report them. */
  public Optional<NvmlXids> xids() {
    Map<Pointer, String> handles = new LinkedHashMap<>();
    devices().forEach(device -> handles.put(device.handle, device.uuid()));
    return NvmlXids.of(this::optional, handles);
  }

  /** True if the driver has memory limits per control group: version 615 and newer. */
  public boolean hasMemoryLimits() {
    return has(library, NvmlLimits.SET);
  }

  static boolean has(NativeLibrary library, String name) {
    try {
      return library.getFunction(name) != null;
    } catch (UnsatisfiedLinkError missing) {
      return false;
    }
  }

  /** The result of a function that not every version of NVML has; empty without it. */
  private Optional<Integer> optional(String name, Object... arguments) {
    return functions
        .computeIfAbsent(name, this::function)
        .map(function -> function.invokeInt(arguments));
  }

  private Optional<Function> function(String name) {
    return has(library, name) ? Optional.of(library.getFunction(name)) : Optional.empty();
  }

  private static String string(byte[] text) {
    return Native.toString(text, StandardCharsets.UTF_8.name());
  }

  static void check(String function, int result) {
    if (result != SUCCESS) {
      throw new NvmlException(
          "NVML: " + function + " failed: " + Api.nvmlErrorString(result) + ": see nvidia-smi");
    }
  }
}
