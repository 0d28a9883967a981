package org.schedgpu.gres.live;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.gres.conf.Hostlist;

/**
 * Parses squeue with exactly these fields. {@code scontrol show jobs} is not used, because a job's
 * name may contain text that looks like another field; here no field is free text of a user.
 */
final class JobRecords {
  /** The format for {@code squeue --Format}; a field without a width is as long as its value. */
  static final String FORMAT =
      Stream.of(
              "JobID",
              "UserName",
              "State",
              "NodeList",
              "tres-per-job",
              "tres-per-node",
              "tres-per-socket",
              "tres-per-task")
          .map(field -> field + ":|")
          .collect(Collectors.joining(","));

  private static final int FIELDS = 8;
  private static final int FIRST_TRES = 4;

  private JobRecords() {}

  /**
   * @throws LiveException if it is not the output of squeue
   */
  static List<LiveJob> parse(String output) {
    return output.lines().filter(line -> !line.isBlank()).map(JobRecords::job).toList();
  }

  private static LiveJob job(String line) {
    String[] fields = line.split("\\|", -1);
    if (fields.length != FIELDS + 1 || !fields[0].strip().matches("[0-9]{1,18}")) {
      throw new LiveException(
          "squeue printed '" + line + "', which is not understood",
          "ask slurmrestd instead, with --rest, and tell us the version of Slurm");
    }
    String gres =
        Stream.of(fields)
            .skip(FIRST_TRES)
            .map(String::strip)
            .filter(tres -> !tres.isEmpty() && !tres.equals("N/A") && !tres.equals("(null)"))
            .collect(Collectors.joining(","));
    return new LiveJob(
        Long.parseLong(fields[0].strip()),
        fields[1].strip(),
        fields[2].strip(),
        nodes(fields[3].strip()),
        gres);
  }

  static Set<String> nodes(String hostlist) {
    return new TreeSet<>(hostlist.equals("(null)") ? List.of() : Hostlist.expand(hostlist));
  }
}
