package org.schedgpu.gres.common;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A release of Slurm, and how plans for it differ.
 *
 * @param year of {@code 22.05}, 22
 * @param month of {@code 22.05}, 5
 */
public record SlurmVersion(int year, int month) implements Comparable<SlurmVersion> {
  /** The release for which files are written if the real one is not known. */
  public static final SlurmVersion BASE = new SlurmVersion(22, 5);

  /** The releases with which the whole project is tested (make matrix). */
  private static final List<SlurmVersion> TESTED =
      List.of(BASE, new SlurmVersion(24, 11), new SlurmVersion(26, 5));

  /** Most tests ran with them once. */
  private static final List<SlurmVersion> TRIED =
      List.of(
          new SlurmVersion(23, 2),
          new SlurmVersion(23, 11),
          new SlurmVersion(24, 5),
          new SlurmVersion(25, 5),
          new SlurmVersion(25, 11));

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final SlurmVersion FIRST = new SlurmVersion(20, 11);
  private static final SlurmVersion RIGHT_VARIABLES = new SlurmVersion(21, 8);
  private static final SlurmVersion RECONFIGURE_TAKES_COUNTS = new SlurmVersion(23, 11);
  private static final SlurmVersion RESTORES_TOPOLOGY = new SlurmVersion(23, 2);
  private static final Pattern VERSION = Pattern.compile("(\\d{2})\\.(\\d{2})(\\D.*)?");

  /**
   * Reads {@code 22.05}, {@code 22.05.8} or {@code 23.11.4-1}.
   *
   * @throws GresException if the text is not a version
   */
  public static SlurmVersion parse(String text) {
    Matcher matcher = VERSION.matcher(text.strip());
    if (!matcher.matches()) {
      throw new GresException(
          "Slurm version " + Check.quoted(text) + " cannot be read",
          "write it as 22.05 or 22.05.8");
    }
    return new SlurmVersion(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /**
   * Reads the version number in Slurm's headers and plugins.
   *
   * @param number SLURM_VERSION_NUMBER, {@code 0x160508} for 22.05.8
   */
  public static SlurmVersion ofNumber(int number) {
    return new SlurmVersion(number >> 16 & 0xff, number >> 8 & 0xff);
  }

  /** The release that loads SPANK plugins on this machine; empty if there is none. */
  public static Optional<SlurmVersion> ofPluginLoader() {
    return asked("slurmd").or(() -> asked("srun"));
  }

  /** The release that is installed on this machine; empty if there is none. */
  public static Optional<SlurmVersion> installed() {
    return asked("slurmctld").or(() -> asked("slurmd")).or(() -> asked("sinfo"));
  }

  /** Asks a program, which prints {@code slurm 22.05.8} or {@code slurm-wlm 22.05.8}. */
  private static Optional<SlurmVersion> asked(String program) {
    try {
      String answer = Subprocess.of(program, "-V").merged().run(PATIENCE).out().strip();
      return Optional.of(parse(answer.substring(answer.lastIndexOf(' ') + 1)));
    } catch (IOException | GresException e) {
      return Optional.empty();
    }
  }

  /**
   * Checks that plans can be written for this release.
   *
   * @throws GresException if the release does not know what a plan writes
   */
  public void require() {
    if (compareTo(FIRST) < 0) {
      throw new GresException(
          "Slurm %s has no MultipleFiles= in gres.conf, which shares are written with"
              .formatted(this),
          "use Slurm %s or newer; schedGPU is tested with %s".formatted(FIRST, tested()));
    }
  }

  /**
   * True if scontrol reconfigure applies a changed count of GPUs, and with it ends the GPU jobs of
   * the node.
   */
  public boolean reconfigureTakesCounts() {
    return compareTo(RECONFIGURE_TAKES_COUNTS) >= 0;
  }

  /**
   * True if a restarted slurmctld restores what it knew of the GPUs of a node, and does not build
   * it anew: it forgets Links=, and after a smaller count it needs one more restart.
   */
  public boolean restoresTopology() {
    return equals(RESTORES_TOPOLOGY);
  }

  /** What follows from {@link #restoresTopology} for jobs, if lines have Links=. */
  public Optional<String> linksNote() {
    return restoresTopology()
        ? Optional.of(
            "Slurm 23.02 forgets Links= at each restart of slurmctld that changes no count: from"
                + " then on a job of several GPUs gets the lowest free ones, so with --order pack"
                + " mostly one device; --order spread is better there. slurmctld -c brings Links="
                + " back, and ends all jobs")
        : Optional.empty();
  }

  /** Notes on this release for the administrator. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (!TESTED.contains(this)) {
      notes.add(
          "schedGPU is tested with Slurm %s; %s"
              .formatted(
                  tested(),
                  TRIED.contains(this)
                      ? "with %s most of its tests ran once".formatted(this)
                      : "what is said of %s is from its source and manual".formatted(this)));
    }
    if (compareTo(RIGHT_VARIABLES) < 0) {
      notes.add(
          "before Slurm 21.08 the GPU variables of Prolog and Epilog count each file of"
              + " MultipleFiles=: schedGPU's prolog cannot tell the job's device");
    }
    return notes;
  }

  /** What the administrator must know before the files are in place, if anything. */
  public Optional<String> reconfigureNote() {
    return reconfigureTakesCounts()
        ? Optional.of(
            "from Slurm 23.11 on scontrol reconfigure takes a changed count at once, and kills and"
                + " requeues the GPU jobs of the nodes that change, whoever calls it: put the files"
                + " in place only when no GPU job runs there")
        : Optional.empty();
  }

  private static String tested() {
    return TESTED.stream().map(SlurmVersion::toString).collect(Collectors.joining(", "));
  }

  @Override
  public int compareTo(SlurmVersion other) {
    return Integer.compare(100 * year + month, 100 * other.year + other.month);
  }

  @Override
  public String toString() {
    return "%d.%02d".formatted(year, month);
  }
}
