package org.schedgpu.gres.site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.schedgpu.gres.conf.Glob;
import org.schedgpu.gres.conf.Setting;

/**
 * Sets Prolog=, Epilog=, PrologFlags= and PrologEpilogTimeout=. A value that the site has set is
 * never replaced.
 */
final class Hooks {
  private static final List<String> FLAGS_WITH_ALLOC = List.of("alloc", "contain", "x11", "nohold");

  private Hooks() {}

  static void check(SiteEdits site, SitePlan plan) {
    hook(site, "Prolog", plan.settings().prolog(), "jobs get no budget, and none is protected");
    hook(site, "Epilog", plan.settings().epilog(), "a job ends only when somebody waits for it");
    boolean asked = plan.settings().prolog().isPresent() || plan.settings().epilog().isPresent();
    flags(site, plan.settings().prolog().isPresent());
    timeout(site, asked, plan.settings().prologEpilogTimeoutSeconds());
  }

  private static void hook(SiteEdits site, String key, Optional<String> ours, String consequence) {
    String now = site.config().setting(key).map(Setting::value).orElse("").strip();
    boolean known = ours.isEmpty() ? isOurs(now) : runs(now, ours.get());
    if (known) {
      return;
    }
    if (ours.isEmpty()) {
      site.warn(
          Severity.LOSS,
          "%s= is %s: if schedGPU's is not run, %s; --%s=FILE puts it in"
              .formatted(key, now.isEmpty() ? "not set" : now, consequence, lower(key)));
    } else if (now.isEmpty()) {
      site.setGlobal(key, ours.get());
    } else {
      site.warn(
          Severity.LOSS,
          isGlob(now) ? linkInto(key, now, ours.get()) : newFolder(key, now, ours.get()));
    }
  }

  private static String linkInto(String key, String glob, String ours) {
    Path folder = Path.of(glob).getParent();
    return "%s=%s stays, it runs more than one: on every node ln -s %s %s/50-schedgpu, else schedGPU's %s is not run"
        .formatted(key, glob, ours, folder, lower(key));
  }

  private static String newFolder(String key, String now, String ours) {
    String folder = "%s/%s.d".formatted(Path.of(now).getParent(), lower(key));
    return "%1$s=%2$s stays, so schedGPU's is not run; Slurm runs several with a pattern, the last name first: on every node mkdir %3$s, ln -s %2$s %3$s/10-site, ln -s %4$s %3$s/50-schedgpu, then set %1$s=%3$s/* and plan again"
        .formatted(key, now, folder, ours);
  }

  private static String lower(String key) {
    return key.toLowerCase(Locale.ROOT);
  }

  private static boolean isGlob(String path) {
    return path.chars().anyMatch(c -> "*?[".indexOf(c) >= 0);
  }

  private static boolean isOurs(String now) {
    return now.contains("schedgpu")
        || (isGlob(now)
            && files(now).stream().anyMatch(file -> real(file).toString().contains("schedgpu")));
  }

  /** True if a value runs nothing but schedGPU's program. */
  static boolean onlyOurs(String value) {
    return isGlob(value)
        ? !files(value).isEmpty()
            && files(value).stream().allMatch(file -> real(file).toString().contains("schedgpu"))
        : value.contains("schedgpu");
  }

  /** True if a value is a program, or a pattern that matches it, perhaps through a link. */
  private static boolean runs(String now, String program) {
    return now.equals(program)
        || (isGlob(now)
            && files(now).stream()
                .anyMatch(
                    f -> f.equals(Path.of(program)) || real(f).equals(real(Path.of(program)))));
  }

  private static List<Path> files(String glob) {
    return Glob.find(Path.of("/"), glob);
  }

  private static Path real(Path path) {
    try {
      return Files.exists(path) ? path.toRealPath() : path;
    } catch (IOException e) {
      return path;
    }
  }

  private static void flags(SiteEdits site, boolean asked) {
    String flags = site.config().setting("PrologFlags").map(Setting::value).orElse("");
    boolean hasAlloc =
        Arrays.stream(flags.split(",", -1))
            .anyMatch(flag -> FLAGS_WITH_ALLOC.contains(flag.strip().toLowerCase(Locale.ROOT)));
    if (hasAlloc) {
      return;
    }
    if (asked) {
      site.addGlobal("PrologFlags", "Alloc");
    } else {
      site.warn(
          "PrologFlags has no Alloc: the prolog of an salloc runs at its first step, and the"
              + " options of that step become the job's; --prolog sets it");
    }
  }

  private static void timeout(SiteEdits site, boolean asked, int seconds) {
    Optional<Setting> now = site.config().setting("PrologEpilogTimeout");
    if (now.isEmpty() && asked) {
      site.setGlobal("PrologEpilogTimeout", Integer.toString(seconds));
    } else if (now.isEmpty()) {
      site.warn(
          "PrologEpilogTimeout is not set: an epilog that hangs keeps its node completing for"
              + " ever");
    } else if (now.get().value().matches("[0-9]{1,5}")
        && Integer.parseInt(now.get().value()) < seconds) {
      site.warn(
          "PrologEpilogTimeout=%s is less than %d: it must be larger than HookTimeout of schedgpu.conf, Slurm drains the node when it is reached"
              .formatted(now.get().value(), seconds));
    }
  }
}
