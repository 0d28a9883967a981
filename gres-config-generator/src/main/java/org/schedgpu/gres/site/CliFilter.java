package org.schedgpu.gres.site;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.LuaCheck;
import org.schedgpu.gres.conf.Setting;

/**
 * Adds schedGPU's lines to cli_filter.lua, so that --schedgpu-mem alone asks for the GRES. What the
 * site has in the file stays, and is called after them.
 */
public final class CliFilter {
  static final String FILE = "cli_filter.lua";
  private static final String KEY = "CliFilterPlugins";
  private static final String BEGIN = "-- BEGIN schedgpu cli_filter";
  private static final String END = "-- END schedgpu cli_filter";
  private static final long MIB = 1L << 20;

  private CliFilter() {}

  /**
   * The lines for the GRES of a plan.
   *
   * @param gres the GRES that counts: shard, gpumem or gpu
   * @param unitBytes memory of one shard; 0 for the others
   */
  public static String lines(String gres, long unitBytes) {
    return template().replace("@KIND@", gres).replace("@UNIT_MIB@", Long.toString(unitBytes / MIB));
  }

  private static String template() {
    try (InputStream in = CliFilter.class.getResourceAsStream(FILE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void check(SiteEdits site, SitePlan plan) {
    Optional<String> lines = plan.request().cliFilter();
    if (lines.isEmpty()) {
      return;
    }
    Path file = site.folder().resolve(FILE);
    String before = SiteEdits.text(file).orElse("");
    byte[] after = with(before, lines.get(), file).getBytes(StandardCharsets.ISO_8859_1);
    site.put(file, after);
    String plugins = site.config().setting(KEY).map(Setting::value).orElse("");
    boolean on =
        Arrays.stream(plugins.split(",", -1))
            .map(word -> word.strip().replaceFirst("^cli_filter/", ""))
            .anyMatch("lua"::equals);
    if (!on) {
      site.addGlobal(KEY, "cli_filter/lua");
      if (hasOwnLines(before)) {
        site.warn(
            Severity.LOSS,
            "%s was off (%s= does not name lua) and is switched on with all that it has: read it before"
                .formatted(file, KEY));
      }
    }
    load(site, file, after);
    site.warn(
        Severity.NOTE,
        "%s is read where users submit: every such host needs it beside its slurm.conf, and Slurm's cli_filter_lua.so"
            .formatted(FILE));
  }

  /** Lua reads the file as it will be, as each command of Slurm does. */
  private static void load(SiteEdits site, Path file, byte[] after) {
    Optional<LuaCheck> lua = LuaCheck.installed();
    if (lua.isEmpty()) {
      site.warn(
          Severity.LOSS,
          "%s was not read, no Lua is installed here (lua5.4): if it does not load, every srun, sbatch and salloc ends with \"fatal\"; plan again where Lua is"
              .formatted(file));
      return;
    }
    LuaCheck.Result read = lua.get().load(file.toString(), after, isRootsAlone(file));
    if (read.broken().isPresent()) {
      throw LuaCheck.refusal(read.broken().get());
    }
    read.suspect()
        .ifPresent(
            why ->
                site.warn(
                    Severity.LOSS,
                    "%s ends with an error when Lua loads it without Slurm (%s): if it does with Slurm, every srun, sbatch and salloc ends with \"fatal\""
                        .formatted(file, why)));
  }

  /** True if nobody else could have written what would be run here. */
  private static boolean isRootsAlone(Path file) {
    try {
      return !Files.exists(file)
          || (List.of("root", System.getProperty("user.name"))
                  .contains(Files.getOwner(file).getName())
              && !Files.getPosixFilePermissions(file).contains(PosixFilePermission.GROUP_WRITE)
              && !Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_WRITE));
    } catch (IOException unknown) {
      return false;
    }
  }

  private static boolean hasOwnLines(String before) {
    boolean ours = false;
    for (String line : before.lines().toList()) {
      ours |= line.equals(BEGIN);
      if (!ours && !line.isBlank() && !line.startsWith("--")) {
        return true;
      }
      ours &= !line.equals(END);
    }
    return false;
  }

  /**
   * The file with the lines: in place of earlier ones, else at its end. A chunk of Lua may end with
   * a return, and nothing may follow that.
   *
   * @throws GresException if only one of the two markers is there
   */
  static String with(String before, String lines, Path file) {
    List<String> own = lines.lines().toList();
    List<String> all = new ArrayList<>(before.lines().toList());
    int begin = all.indexOf(BEGIN);
    int end = all.indexOf(END);
    if (begin < 0 != end < 0 || end < begin) {
      throw new GresException(
          "%s has one of the lines '%s' and '%s' without the other".formatted(file, BEGIN, END),
          "take out what is left of schedGPU's lines");
    }
    int at = begin < 0 ? endOfChunk(all) : begin;
    if (begin >= 0) {
      all.subList(begin, end + 1).clear();
    }
    all.addAll(at, own);
    return String.join("\n", all) + "\n";
  }

  /** Before a return that ends the chunk, else behind the last line. */
  private static int endOfChunk(List<String> lines) {
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = lines.get(i);
      if (line.matches("return\\b.*")) {
        return i;
      }
      if (!line.isBlank() && !line.startsWith("--")) {
        break;
      }
    }
    return lines.size();
  }
}
