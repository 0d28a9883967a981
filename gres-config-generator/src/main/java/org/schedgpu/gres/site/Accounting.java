package org.schedgpu.gres.site;

import java.util.Arrays;
import java.util.Locale;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;

/** Checks AccountingStorageTRES=. Without slurmdbd, slurmctld exits if gres/gpu is in it. */
final class Accounting {
  private static final String KEY = "AccountingStorageTRES";
  private static final String GPU = "gres/gpu";

  private Accounting() {}

  static void check(SiteEdits site, SitePlan plan) {
    boolean dbd = usesSlurmdbd(site.config());
    boolean tracked = isTracked(site.config());
    if (tracked && plan.countsChange()) {
      site.warn(
          "AccountingStorageTRES has gres/gpu: sacct, sreport and limits count virtual GPUs from"
              + " now on, and whole devices in what was recorded before");
    } else if (!tracked && plan.request().accounting() && dbd) {
      site.addGlobal(KEY, GPU);
    } else if (!tracked && plan.request().accounting()) {
      site.warn(
          "--accounting adds nothing: AccountingStorageType is %s, and without slurmdbd slurmctld ends with a fatal error at AccountingStorageTRES=gres/gpu"
              .formatted(type(site.config())));
    } else if (!tracked && dbd) {
      site.warn(
          "AccountingStorageTRES has no gres/gpu: sacct and limits do not see GPUs; --accounting"
              + " adds it");
    }
  }

  static boolean usesSlurmdbd(SlurmConfig config) {
    return type(config).toLowerCase(Locale.ROOT).endsWith("slurmdbd");
  }

  private static String type(SlurmConfig config) {
    return config
        .setting("AccountingStorageType")
        .map(Setting::value)
        .orElse("accounting_storage/none");
  }

  private static boolean isTracked(SlurmConfig config) {
    String list = config.setting(KEY).map(Setting::value).orElse("");
    return Arrays.stream(list.split(",", -1)).map(String::strip).anyMatch(GPU::equalsIgnoreCase);
  }
}
