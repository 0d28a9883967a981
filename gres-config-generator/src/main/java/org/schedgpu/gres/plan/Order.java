package org.schedgpu.gres.plan;

import java.util.Locale;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;

/**
 * Order of the virtual GPUs of a node. Slurm numbers them by the lines of gres.conf and gives out
 * the lowest free one, so the order of the lines decides which device fills first.
 */
public enum Order {
  /** Devices alternate (0 1 0 1 ...): one job after the other goes to the next device. */
  SPREAD {
    @Override
    int devicePosition(int virtual, int devices, int shares) {
      return virtual % devices;
    }
  },
  /** Grouped (0 0 ... 1 1 ...): a device is filled before the next one is used. */
  PACK {
    @Override
    int devicePosition(int virtual, int devices, int shares) {
      return virtual / shares;
    }
  };

  /** Position, in the node's list of devices, of the device behind a virtual GPU. */
  abstract int devicePosition(int virtual, int devices, int shares);

  /** The word for the command line and JSON: {@code spread}, {@code pack}. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Reads {@link #word()}, in any case.
   *
   * @throws GresException if the word is not known
   */
  public static Order of(String word) {
    for (Order order : values()) {
      if (order.word().equalsIgnoreCase(word)) {
        return order;
      }
    }
    throw new GresException("order " + Check.quoted(word) + " is not known", "use spread or pack");
  }
}
