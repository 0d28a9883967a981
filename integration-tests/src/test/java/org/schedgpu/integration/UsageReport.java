package org.schedgpu.integration;

import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * What sreport and sacct say that jobs used of a TRES, times seconds. slurmdbd adds up an hour when
 * it is over; here it is asked to do so at once.
 */
final class UsageReport {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss", Locale.ROOT);

  private final Shell shell;
  private final String account;
  private final String tres;

  /** Runs a command that must succeed, and gives what it prints. */
  interface Shell {
    String run(String command);
  }

  /**
   * @param tres as {@code gres/shard}
   */
  UsageReport(Shell shell, String account, String tres) {
    this.shell = shell;
    this.account = account;
    this.tres = tres;
  }

  /** What sreport says of this hour and of the one before: a job may run across its end. */
  long ofSreport() {
    LocalDateTime hour = LocalDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.HOURS);
    return ofSreport(hour.minusHours(1)) + ofSreport(hour);
  }

  private long ofSreport(LocalDateTime hour) {
    String begin = hour.format(TIME);
    String end = hour.plusHours(1).format(TIME);
    shell.run("sacctmgr -i rollup %s %s".formatted(begin, end));
    String report =
        "sreport -n -P -t Seconds -T %s cluster UserUtilizationByAccount accounts=%s start=%s end=%s"
            .formatted(tres, account, begin, end);
    return shell.run(report).lines().mapToLong(line -> lastNumber(line, "[|]")).sum();
  }

  /** The same by sacct: seconds of each job times what it had. */
  long ofSacct() {
    String jobs =
        shell.run("sacct -X -n -P -S now-1hour -o ElapsedRaw,AllocTRES -A %s".formatted(account));
    long used = 0;
    for (String job : jobs.lines().toList()) {
      String[] words = job.split("[|,]", -1);
      for (String word : words) {
        if (word.startsWith(tres + "=")) {
          used += Long.parseLong(words[0]) * bytes(word.substring(tres.length() + 1));
        }
      }
    }
    return used;
  }

  /** From Slurm 23.02 on sacct prints the bytes of gpumem as if they were MiB: 6P for 6 GiB. */
  private static long bytes(String count) {
    int unit = "KMGTP".indexOf(count.charAt(count.length() - 1)) + 1;
    return unit == 0
        ? Long.parseLong(count)
        : (long)
            Math.scalb(Double.parseDouble(count.substring(0, count.length() - 1)), 10 * unit - 20);
  }

  private static long lastNumber(String line, String separator) {
    String[] words = line.split(separator, -1);
    return Long.parseLong(words[words.length - 1].strip());
  }

  /** Requires that both are the same, and more than nothing. */
  void requireTheSame() {
    Eventually.that(
        tres + " in sreport as in sacct",
        () -> ofSreport() > 0 && ofSreport() == ofSacct(),
        () -> "%d in sreport, %d in sacct".formatted(ofSreport(), ofSacct()));
  }
}
