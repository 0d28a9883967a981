package org.schedgpu.gres.plan;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.gres.facts.Device;

/**
 * How the memory of devices becomes Slurm's shards, so that Slurm places jobs by memory. Immutable.
 *
 * @param unitBytes memory of one shard, 1 MiB or more
 * @param overbook how many times the memory of a device is given out, from 0.1 to 16
 */
public record ShardRule(long unitBytes, BigDecimal overbook) {
  private static final long MIB = 1L << 20;
  private static final BigDecimal LEAST = new BigDecimal("0.1");
  private static final BigDecimal MOST = new BigDecimal("16");

  /**
   * @throws GresException if a value is outside its range
   */
  public ShardRule {
    if (unitBytes < MIB) {
      throw new GresException(
          "--unit is %d bytes".formatted(unitBytes), "use a size from 1M on, such as 1G");
    }
    if (overbook.compareTo(LEAST) < 0 || overbook.compareTo(MOST) > 0) {
      throw new GresException(
          "--overbook is " + overbook.toPlainString(),
          "use a factor from %s to %s, such as 1.5".formatted(LEAST, MOST));
    }
  }

  /**
   * Reads the options.
   *
   * @param unit a size such as {@code 1G}
   * @param overbook a number such as {@code 1.5}
   * @throws GresException if one cannot be read
   */
  public static ShardRule parse(String unit, String overbook) {
    if (!overbook.matches("[0-9]{1,3}(\\.[0-9]{1,6})?")) {
      throw new GresException(
          "--overbook " + Check.quoted(overbook) + " is no factor", "use a number such as 1.5");
    }
    return new ShardRule(Sizes.parseBytes(unit), new BigDecimal(overbook));
  }

  /**
   * The shards of a device. Slurm takes another number for each device, also of one type: Count= of
   * the line with its File= (22.05, src/common/gres.c, _node_config_validate).
   *
   * @throws GresException if not even one shard fits
   */
  public long countOf(String nodeName, Device device) {
    long usableBytes = device.usableBytes();
    long count =
        BigDecimal.valueOf(usableBytes)
            .multiply(overbook)
            .divide(BigDecimal.valueOf(unitBytes), 0, RoundingMode.FLOOR)
            .longValueExact();
    if (count < 1) {
      throw new GresException(
          "node %s, a shard of %s does not fit into the %s that a job can get on device %d"
              .formatted(
                  nodeName, Sizes.format(unitBytes), Sizes.format(usableBytes), device.index()),
          "use a smaller --unit");
    }
    return count;
  }
}
