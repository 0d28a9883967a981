package org.schedgpu.gres.site;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.common.Subprocess;

/**
 * Warns of limits on gres/gpu in QOS and associations, as sacctmgr shows them: they count shares
 * from now on, and do not count shards.
 */
final class Limits {
  private static final Pattern GPU = Pattern.compile("(?i)gres/gpu(?::[^=,]+)?=([0-9]+)");
  private static final int MAX_WARNINGS = 20;
  private static final int SILENT_SECONDS = 1;
  private static final int LIMIT_SECONDS = 5;
  private static final List<String> QOS =
      List.of(
          "qos",
          "format=Name,GrpTRES,GrpTRESMins,GrpTRESRunMins,MaxTRES,MaxTRESPerNode,MaxTRESMins,"
              + "MaxTRESPerUser,MaxTRESPerAccount,MinTRES");
  private static final List<String> ASSOCIATIONS =
      List.of(
          "assoc",
          "format=Cluster,Account,User,Partition,GrpTRES,GrpTRESMins,GrpTRESRunMins,MaxTRES,"
              + "MaxTRESPerNode,MaxTRESMins");

  /**
   * Columns that name the owner of a limit; the other columns of a full list are not part of the
   * name.
   */
  private static final Set<String> NAMES =
      Set.of("Name", "Cluster", "Account", "User", "Partition");

  /** What an administrator reads of a limit. */
  private interface Wording {
    String of(String name, String head, Matcher gpu);
  }

  private Limits() {}

  static void check(SiteEdits site, SitePlan plan, Path slurmConf) {
    if (!plan.countsChange() && !plan.bringsShards()) {
      return;
    }
    Function<String, List<String>> reader =
        plan.bringsShards() ? Limits::withoutShards : Limits::limits;
    List<String> found = new ArrayList<>();
    if (plan.request().limits().isPresent()) {
      found.addAll(reader.apply(read(plan.request().limits().get())));
    } else if (Accounting.usesSlurmdbd(site.config())) {
      boolean answers = true;
      for (List<String> what : List.of(QOS, ASSOCIATIONS)) {
        Optional<String> answer = answers ? ask(slurmConf, what) : Optional.empty();
        answers = answer.isPresent();
        answer.ifPresent(text -> found.addAll(reader.apply(text)));
        if (answer.isEmpty()) {
          site.warn(
              "sacctmgr did not answer: limits of gres/gpu in %s %s, look at them or give them with --limits"
                  .formatted(
                      what.get(0).equals("qos") ? "QOS" : "associations",
                      plan.bringsShards() ? "do not count shards" : "count shares from now on"));
        }
      }
    }
    found.stream().limit(MAX_WARNINGS).forEach(site::warn);
    if (found.size() > MAX_WARNINGS) {
      site.warn("and %d more limits of gres/gpu".formatted(found.size() - MAX_WARNINGS));
    }
  }

  /**
   * The lines with a limit. The first line may name the columns, as without {@code -n}.
   *
   * @param text fields between '|'
   */
  static List<String> limits(String text) {
    return limits(text, Limits::limit);
  }

  /** As {@link #limits}, for a plan of shards: a job that has them has no GPU that Slurm counts. */
  static List<String> withoutShards(String text) {
    return limits(text, (name, head, gpu) -> notShards(name, head, gpu.group()));
  }

  private static List<String> limits(String text, Wording wording) {
    List<String> found = new ArrayList<>();
    List<String> heads = List.of();
    for (String line : text.lines().toList()) {
      List<String> fields = List.of(line.split("\\|", -1));
      if (fields.contains("Name") || fields.contains("Account") || fields.contains("GrpTRES")) {
        heads = fields;
        continue;
      }
      for (int i = 0; i < fields.size(); i++) {
        Matcher gpu = GPU.matcher(fields.get(i));
        while (gpu.find()) {
          found.add(
              wording.of(name(fields, heads), i < heads.size() ? heads.get(i) + " " : "", gpu));
        }
      }
    }
    return found;
  }

  private static String name(List<String> fields, List<String> heads) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i < fields.size(); i++) {
      boolean names = heads.isEmpty() || (i < heads.size() && NAMES.contains(heads.get(i)));
      if (names && !fields.get(i).isEmpty() && !fields.get(i).contains("=")) {
        words.add(fields.get(i));
      }
    }
    return words.isEmpty() ? "(no name)" : String.join("/", words);
  }

  private static String limit(String name, String head, Matcher gpu) {
    String meaning =
        head.contains("Mins")
            ? "%s minutes of one share, not of a device"
            : "%s of them, not as many devices";
    return "limit %s%s of %s counts shares now: %s; sacctmgr modify changes it"
        .formatted(head, gpu.group(), name, meaning.formatted(gpu.group(1)));
  }

  private static String notShards(String name, String head, String limit) {
    return "limit %s%s of %s does not count shards: jobs with --gres=shard are not limited by it; sacctmgr modify adds one of gres/shard"
        .formatted(head, limit, name);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new GresException(
          "file %s of --limits cannot be read (%s)".formatted(file, IoReason.of(e)),
          "name one that can",
          e);
    }
  }

  /** Empty if sacctmgr is missing, or does not answer within some seconds. */
  private static Optional<String> ask(Path slurmConf, List<String> what) {
    List<String> command = new ArrayList<>(List.of("sacctmgr", "-P", "show"));
    command.addAll(what);
    try {
      Subprocess.Running sacctmgr =
          Subprocess.of(command)
              .environment(variables -> variables.put("SLURM_CONF", slurmConf.toString()))
              .charset(StandardCharsets.ISO_8859_1)
              .start();
      if (!sacctmgr.endsWithin(Duration.ofSeconds(SILENT_SECONDS))) {
        System.err.printf(
            "sacctmgr has not answered yet: is slurmdbd there? Waiting for up to %d s; --limits"
                + " does without%n",
            LIMIT_SECONDS);
      }
      Subprocess.Result result = sacctmgr.end(Duration.ofSeconds(LIMIT_SECONDS));
      return result.isOk() ? Optional.of(result.out()) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
