package org.schedgpu.gres.site;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;

/**
 * Checks AccountingStorageTRES=: that Slurm counts the GPUs, the shards and the memory of jobs.
 * Without slurmdbd, slurmctld exits if a GRES is in it.
 */
final class Accounting {
  private static final String KEY = "AccountingStorageTRES";
  private static final String GPU = "gres/gpu";

  private Accounting() {}

  static void check(SiteEdits site, SitePlan plan) {
    if (isTracked(site.config(), GPU) && plan.countsChange()) {
      site.warn(
          "AccountingStorageTRES has gres/gpu: sacct, sreport and limits count virtual GPUs from"
              + " now on, and whole devices in what was recorded before");
    }
    List<String> missing =
        plan.gresNames().stream()
            .map(name -> "gres/" + name)
            .filter(tres -> !isTracked(site.config(), tres))
            .toList();
    if (!missing.isEmpty()) {
      missing(site, plan.request().accounting(), missing);
    }
  }

  private static void missing(SiteEdits site, boolean add, List<String> missing) {
    boolean dbd = usesSlurmdbd(site.config());
    if (add && dbd) {
      missing.forEach(tres -> site.addGlobal(KEY, tres));
    } else if (add) {
      site.warn(
          "--accounting adds nothing: AccountingStorageType is %s, and without slurmdbd slurmctld ends with a fatal error at AccountingStorageTRES=%s"
              .formatted(type(site.config()), String.join(",", missing)));
    } else if (dbd) {
      site.warn(
          "AccountingStorageTRES has no %s: sacct and limits do not see %s; --accounting adds it"
              .formatted(String.join(",", missing), GPU.equals(missing.get(0)) ? "GPUs" : "them"));
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

  private static boolean isTracked(SlurmConfig config, String tres) {
    String list = config.setting(KEY).map(Setting::value).orElse("");
    return Arrays.stream(list.split(",", -1)).map(String::strip).anyMatch(tres::equalsIgnoreCase);
  }
}
