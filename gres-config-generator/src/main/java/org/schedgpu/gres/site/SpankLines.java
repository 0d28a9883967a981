package org.schedgpu.gres.site;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.gres.conf.PlugStack;
import org.schedgpu.gres.conf.Setting;

/** Adds schedGPU's line to the plugstack.conf in use. */
final class SpankLines {
  private static final String KEY = "PlugStackConfig";
  private static final String PLUGIN = "schedgpu.so";

  private SpankLines() {}

  static void check(SiteEdits site, SitePlan plan) {
    Path standard = site.folder().resolve("plugstack.conf");
    Optional<Path> set = site.config().setting(KEY).map(Setting::value).map(Path::of);
    Optional<Path> wanted = plan.settings().plugStackConfig().map(Path::of);
    boolean inUse = set.isPresent() || SiteEdits.exists(standard);
    if (wanted.isPresent() && !inUse && !wanted.get().equals(standard)) {
      site.setGlobal(KEY, wanted.get().toString());
      fill(site, plan, wanted.get(), Optional.empty());
      return;
    }
    fill(site, plan, set.orElse(standard), wanted.filter(w -> !w.equals(set.orElse(standard))));
  }

  /**
   * Adds the lines that are missing.
   *
   * @param include another plugstack.conf that Slurm shall read, too
   */
  private static void fill(SiteEdits site, SitePlan plan, Path plugstack, Optional<Path> include) {
    PlugStack stack = PlugStack.read(plugstack);
    boolean loaded =
        stack.plugins().stream()
            .anyMatch(line -> line.plugin().filter(p -> p.endsWith(PLUGIN)).isPresent());
    boolean included =
        include.isEmpty()
            || stack.files().stream().anyMatch(file -> file.path().equals(include.get()));
    String lines = "";
    if (!included) {
      lines += "include " + include.get() + "\n";
    }
    if (plan.request().spankPlugin().isPresent() && !loaded) {
      lines += "required " + plan.request().spankPlugin().get() + "\n";
    }
    if (!lines.isEmpty()) {
      add(site, plugstack, lines);
    } else if (!loaded) {
      site.warn(
          Severity.LOSS,
          "%s loads no %s: the options --schedgpu-* are unknown, and jobs run unprotected; --spank=FILE adds the line"
              .formatted(plugstack, PLUGIN));
    }
  }

  /**
   * After the existing lines. If the file is outside the folder, only a notice says what to add.
   */
  private static void add(SiteEdits site, Path plugstack, String lines) {
    if (site.name(plugstack).isEmpty()) {
      site.warn(
          Severity.LOSS,
          "%s is not below %s and stays as it is: add to it, on every host, the line %s"
              .formatted(plugstack, site.folder(), lines.strip().replace("\n", " and the line ")));
      return;
    }
    String before = SiteEdits.text(plugstack).orElse("");
    String open = before.isEmpty() || before.endsWith("\n") ? "" : "\n";
    site.put(plugstack, (before + open + lines).getBytes(StandardCharsets.ISO_8859_1));
  }
}
