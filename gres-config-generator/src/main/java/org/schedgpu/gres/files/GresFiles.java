package org.schedgpu.gres.files;

import java.util.LinkedHashMap;
import java.util.Map;
import org.schedgpu.gres.common.DevicesLink;

/**
 * The content of a plan's files; each ends with a line feed.
 *
 * @param gresConf gres.conf, complete
 * @param slurmConf the lines for slurm.conf, between {@code # BEGIN schedgpu} and {@code # END
 *     schedgpu}
 * @param devicesConf devices.conf, complete
 */
public record GresFiles(String gresConf, String slurmConf, String devicesConf) {
  /** Name of the file of {@link #gresConf}. */
  public static final String GRES_CONF = "gres.conf";

  /**
   * Name of the file of {@link #slurmConf}. It is not slurm.conf, because it contains only some
   * lines and must not replace a site's slurm.conf.
   */
  public static final String SLURM_CONF = "slurm-schedgpu.conf";

  /** Name of the file of {@link #devicesConf}. */
  public static final String DEVICES_CONF = DevicesLink.NAME;

  /** The content by file name, in the order in which the files are shown. */
  public Map<String, String> byName() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(GRES_CONF, gresConf);
    texts.put(SLURM_CONF, slurmConf);
    texts.put(DEVICES_CONF, devicesConf);
    return texts;
  }
}
