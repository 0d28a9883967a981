package org.schedgpu.agent.wait;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A job that went back into the queue, and does not run on this node for a while.
 *
 * @param id of Slurm
 * @param untilNs CLOCK_MONOTONIC, which nobody can set; 0: it is over
 * @param done true if Slurm has been told to keep it from this node
 */
record Excluded(long id, long untilNs, boolean done) {
  /** Earlier releases wrote a time limit, too. */
  private static final Pattern LINE =
      Pattern.compile("(\\d{1,18}) (\\d{1,18}) (?:-?\\d{1,9} )?(true|false)");

  Excluded asDone() {
    return new Excluded(id, untilNs, true);
  }

  Excluded until(long ns) {
    return new Excluded(id, ns, done);
  }

  String line() {
    return "%d %d %b\n".formatted(id, untilNs, done);
  }

  static Optional<Excluded> of(String line) {
    Matcher matcher = LINE.matcher(line.strip());
    return matcher.matches()
        ? Optional.of(
            new Excluded(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                Boolean.parseBoolean(matcher.group(3))))
        : Optional.empty();
  }
}
