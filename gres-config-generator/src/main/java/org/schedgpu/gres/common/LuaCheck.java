package org.schedgpu.gres.common;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Lets an installed Lua load a script as Slurm does: it is compiled, then run with a stand-in for
 * Slurm's functions. A script that does not load ends each command of Slurm with "fatal".
 */
public final class LuaCheck {
  /** In the order in which Slurm takes the libraries. */
  private static final List<String> INTERPRETERS =
      List.of("lua5.4", "lua5.3", "lua5.2", "lua5.1", "lua");

  private static final int LIMIT_SECONDS = 5;
  private static final int COMPILES_NOT = 3;
  private static final int FAILS = 4;
  private static final int ENDS_NOT = 5;

  private static final String LOAD =
      """
      local chunk, why = loadfile(arg[1])
      if not chunk then print(why) os.exit(3) end
      if arg[2] == "run" then
        slurm = {}
        setmetatable(slurm, {__index = function() return slurm end, __call = function() return slurm end})
        local ok, problem = pcall(chunk)
        if not ok then print(problem) os.exit(4) end
      end
      """;

  private final Path lua;

  private LuaCheck(Path lua) {
    this.lua = lua;
  }

  /**
   * What Lua says of a script.
   *
   * @param broken why it does not compile; Slurm's Lua refuses it, too
   * @param suspect why it ends with an error without Slurm; the real Slurm may not
   */
  public record Result(Optional<String> broken, Optional<String> suspect) {}

  /** The check with the Lua in PATH; empty without one. */
  public static Optional<LuaCheck> installed() {
    String path = System.getenv().getOrDefault("PATH", "");
    return in(
        Stream.of((path + ":/usr/bin").split(":", -1))
            .filter(folder -> !folder.isEmpty())
            .map(Path::of)
            .toList());
  }

  /** As above, with these folders as PATH. */
  public static Optional<LuaCheck> in(List<Path> folders) {
    return INTERPRETERS.stream()
        .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(LuaCheck::new);
  }

  /**
   * Loads a script.
   *
   * @param name for messages
   * @param run whether to run it, too: only what root alone could have written
   * @throws GresException if Lua cannot be started
   */
  public Result load(String name, byte[] script, boolean run) {
    try {
      Path folder = Files.createTempDirectory("schedgpu-lua-");
      Path loader = folder.resolve("load.lua");
      Path file = folder.resolve("script.lua");
      try {
        Files.writeString(loader, LOAD);
        Files.write(file, script);
        Subprocess.Result ended =
            Subprocess.of("" + lua, "" + loader, "" + file, run ? "run" : "")
                .merged()
                .detached()
                .charset(StandardCharsets.ISO_8859_1)
                .run(Duration.ofSeconds(LIMIT_SECONDS));
        int status = status(ended);
        String said = ended.out().strip().replace(file.toString(), name);
        Optional<String> why = Optional.of(reason(status, said));
        return new Result(
            why.filter(text -> status == COMPILES_NOT),
            why.filter(text -> status == FAILS || status == ENDS_NOT));
      } finally {
        for (Path path : List.of(loader, file, folder)) {
          Files.deleteIfExists(path);
        }
      }
    } catch (IOException e) {
      throw new GresException(
          "%s cannot be read with %s (%s)".formatted(name, lua, IoReason.of(e)),
          "make room in the temporary folder",
          e);
    }
  }

  private static String reason(int status, String said) {
    return status == ENDS_NOT
        ? "it does not end within %d s".formatted(LIMIT_SECONDS)
        : said.lines().findFirst().orElse("Lua said nothing");
  }

  private static int status(Subprocess.Result result) {
    return switch (result.end()) {
      case LATE -> ENDS_NOT;
      case ENDED -> result.exitCode();
      default -> FAILS;
    };
  }

  /** The refusal of a script that does not compile. */
  public static GresException refusal(String why) {
    return new GresException(
        why + ": with it every srun, sbatch and salloc of the cluster would end with \"fatal\"",
        "correct the file, or plan without --cli-filter");
  }
}
