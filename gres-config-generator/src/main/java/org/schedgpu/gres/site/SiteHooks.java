package org.schedgpu.gres.site;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;

/** Finds programs of the site that Slurm runs with GPU indexes, which shares make other numbers. */
public final class SiteHooks {
  private static final List<String> KEYS = List.of("Prolog", "Epilog", "TaskProlog", "TaskEpilog");

  private SiteHooks() {}

  /**
   * A note that says what they see, if the site has such programs.
   *
   * @param shares the largest number of shares of a node that has more shares than devices; 0: none
   */
  public static Optional<String> note(SlurmConfig config, int shares) {
    List<String> found = new ArrayList<>();
    for (String key : KEYS) {
      String value = config.setting(key).map(Setting::value).orElse("").strip();
      if (!value.isEmpty() && !Hooks.onlyOurs(value)) {
        found.add(key + "=" + value);
      }
    }
    return shares == 0 || found.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s of the site gets numbers of shares (0 to %d), not of devices, in SLURM_JOB_GPUS, and before and after a job also in CUDA_VISIBLE_DEVICES: what it does with nvidia-smi -i or as a map for monitoring would meet a wrong device or none; let it ask schedgpu gres devices --shares (docs/how-to/devices-of-a-job.md)"
                .formatted(String.join(", ", found), shares - 1));
  }
}
