package org.schedgpu.gres.facts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * A physical GPU, as NVML describes it. Immutable, so safe for use by several threads.
 *
 * @param index physical (NVML) index, 0 to 15
 * @param uuid NVML UUID, as CUDA_VISIBLE_DEVICES takes it; at most 47 characters
 * @param file device file, an absolute path without blanks, commas and brackets
 * @param totalBytes NVML total, at least 1
 * @param reservedBytes memory that the driver keeps for itself
 * @param contextBytes device memory of the CUDA context of one process; the sum with {@code
 *     reservedBytes} is less than {@code totalBytes}
 * @param name the device's name for display, at most 63 bytes
 * @param cores Slurm's Cores= near the device ({@code 0-15}); null if not known
 * @param mig whether the device is in MIG mode and so cannot be used as a whole; null means no
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Device(
    @JsonProperty(required = true) int index,
    @JsonProperty(required = true) String uuid,
    @JsonProperty(required = true) String file,
    @JsonProperty(required = true) long totalBytes,
    @JsonProperty(required = true) long reservedBytes,
    @JsonProperty(required = true) long contextBytes,
    @JsonProperty(required = true) String name,
    String cores,
    Boolean mig) {

  /** The maximum number of devices of a node: SCHEDGPU_MAX_DEVICES of admin.h. */
  public static final int MAX_DEVICES = 16;

  /** SCHEDGPU_UUID_SIZE and SCHEDGPU_NAME_SIZE of admin.h, less the NUL. */
  private static final int MAX_UUID_CHARS = 47;

  private static final int MAX_NAME_BYTES = 63;
  private static final Pattern CORES = Pattern.compile("[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*");

  /**
   * @throws GresException if a value is outside its range
   */
  public Device {
    Check.range("device index", index, 0, MAX_DEVICES - 1);
    Check.uuid(uuid, MAX_UUID_CHARS);
    Check.path("device file", file);
    Check.deviceName(name, MAX_NAME_BYTES);
    // Nodes share these strings, because thousands of them have the same ones.
    file = file.intern();
    name = name.intern();
    checkBytes(index, totalBytes, reservedBytes, contextBytes);
    if (cores != null && !CORES.matcher(cores).matches()) {
      throw new GresException(
          "device %d has cores %s".formatted(index, Check.quoted(cores)),
          "write Slurm's numbers of cores, such as 0-15 or 0-7,16-23");
    }
  }

  /** A device without cores and not in MIG mode. */
  public Device(
      int index,
      String uuid,
      String file,
      long totalBytes,
      long reservedBytes,
      long contextBytes,
      String name) {
    this(index, uuid, file, totalBytes, reservedBytes, contextBytes, name, null, null);
  }

  private static void checkBytes(int index, long total, long reserved, long context) {
    if (total < 1 || reserved < 0 || context < 0) {
      throw new GresException(
          "device %d has totalBytes %d, reservedBytes %d, contextBytes %d"
              .formatted(index, total, reserved, context),
          "give bytes as NVML shows them; only reservedBytes and contextBytes may be 0");
    }
    if (reserved >= total || context >= total - reserved) {
      throw new GresException(
          "device %d has reservedBytes %d and contextBytes %d, nothing is left of totalBytes %d"
              .formatted(index, reserved, context, total),
          "correct the facts of the device");
    }
  }

  /** True if the device is in MIG mode and so cannot be shared. */
  public boolean inMigMode() {
    return Boolean.TRUE.equals(mig);
  }

  /**
   * The memory in bytes that one job can get on any of the devices, which is that of the smallest.
   *
   * @param devices at least one
   */
  public static long smallestUsableBytes(List<Device> devices) {
    return devices.stream().mapToLong(Device::usableBytes).min().orElseThrow();
  }

  /**
   * The most memory that one job can get, in bytes: the total less the driver's part and one
   * context. The region rejects a larger budget.
   */
  public long usableBytes() {
    return totalBytes - reservedBytes - contextBytes;
  }
}
