package org.schedgpu.gres.site;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.conf.ConfEdit;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfKind;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.ConfTree;
import org.schedgpu.gres.conf.Setting;

/** Checks cgroup.conf, and the plugins without which it has no effect. */
final class Cgroups {
  private static final String KEY = "ConstrainDevices";
  private static final String YES = KEY + "=yes";
  private static final List<String> TRUE = List.of("yes", "up", "true", "1");

  private Cgroups() {}

  static void check(SiteEdits site, SitePlan plan) {
    Path file = site.folder().resolve("cgroup.conf");
    boolean wish = plan.request().constrainDevices();
    if (SiteEdits.exists(file)) {
      change(site, file, wish);
    } else if (wish) {
      site.put(file, (YES + "\n").getBytes(StandardCharsets.UTF_8));
    } else {
      warn(site, file + " is not there");
    }
    String tasks = value(site, "TaskPlugin", "task/none");
    if (!tasks.toLowerCase(Locale.ROOT).contains("task/cgroup")) {
      site.warn(
          Severity.LOSS,
          "TaskPlugin=%s has no task/cgroup: ConstrainDevices has no effect, a program can open every device of the node"
              .formatted(tasks));
    }
    String tracking = value(site, "ProctrackType", "proctrack/cgroup");
    if (!tracking.toLowerCase(Locale.ROOT).endsWith("cgroup")) {
      site.warn(
          Severity.LOSS,
          "ProctrackType=%s loses processes that leave their group: they can outlive the job with their device memory; proctrack/cgroup does not"
              .formatted(tracking));
    }
    selection(site);
  }

  private static void selection(SiteEdits site) {
    String select = value(site, "SelectType", "select/cons_tres").toLowerCase(Locale.ROOT);
    if (select.endsWith("linear")) {
      site.warn("SelectType=" + select + " gives whole nodes to jobs: shares never run together");
    } else if (!select.endsWith("cons_tres")) {
      site.warn(
          "SelectType=%s does not know --gpus and its like: jobs get shares with --gres only"
              .formatted(select));
    }
  }

  private static void change(SiteEdits site, Path file, boolean wish) {
    ConfTree tree = ConfTree.read(file, ConfKind.CGROUP_CONF);
    Optional<ConfLine> line =
        tree.lines().stream().filter(l -> l.startsWith(KEY)).reduce((first, last) -> last);
    String now = line.flatMap(l -> l.value(KEY)).orElse("");
    if (TRUE.contains(now.toLowerCase(Locale.ROOT))) {
      return;
    }
    if (!wish) {
      warn(site, now.isEmpty() ? file + " has no " + KEY : file + " has " + KEY + "=" + now);
      return;
    }
    Path where = line.map(l -> l.place().file()).orElse(tree.files().get(0).path());
    ConfEdit edit = tree.file(where).orElseThrow().edit();
    line.ifPresentOrElse(l -> edit.set(l, KEY, "yes"), () -> edit.append(YES));
    ConfFile after = edit.result();
    ConfTree.read(file, ConfKind.CGROUP_CONF, Map.of(where, after));
    site.put(where, after.bytes());
  }

  private static void warn(SiteEdits site, String what) {
    site.warn(
        Severity.LOSS,
        what
            + ": a program that ignores CUDA_VISIBLE_DEVICES can use devices of others;"
            + " --constrain-devices sets ConstrainDevices=yes");
  }

  private static String value(SiteEdits site, String key, String standard) {
    return site.config().setting(key).map(Setting::value).orElse(standard);
  }
}
