package org.schedgpu.gres.verify;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The output of a job of verify. Other lines, such as those of a TaskProlog, are ignored.
 *
 * @param words by device file: {@code open}, {@code denied}, {@code mode}, {@code missing}
 * @param gpus indexes as Slurm told the job, {@code 0,3}
 * @param visible SCHEDGPU_DEVICES, or CUDA_VISIBLE_DEVICES where the plugin is not on
 */
record JobOutput(Map<String, String> words, String gpus, String visible) {
  private static final String MARK = "schedgpu-verify ";

  /**
   * The script for a node of which nothing is known except that it has a shell. It opens files for
   * reading and writing, as the driver does. EPERM means that the cgroup denies a device; a device
   * that exists but does not work (ENXIO, EIO) is allowed.
   */
  private static final String SCRIPT =
      """
      LC_ALL=C; export LC_ALL
      for f in "$@"; do
        m=
        if [ -e "$f" ]; then
          m=$( { : <> "$f"; } 2>&1 )
          case "$m" in
            *'not permitted'*) w=denied ;;
            *'ermission denied'*) w=mode ;;
            *) w=open ;;
          esac
        else
          w=missing
        fi
        echo "schedgpu-verify device $w $f"
      done
      echo "schedgpu-verify gpus ${SLURM_STEP_GPUS:-$SLURM_JOB_GPUS}"
      echo "schedgpu-verify visible ${SCHEDGPU_DEVICES:-$CUDA_VISIBLE_DEVICES}"
      """;

  static List<String> program(List<String> files) {
    return java.util.stream.Stream.concat(
            java.util.stream.Stream.of("/bin/sh", "-c", SCRIPT, "sh"), files.stream())
        .toList();
  }

  /** Empty if the job did not finish. */
  static Optional<JobOutput> parse(String out) {
    Map<String, String> words = new TreeMap<>();
    String gpus = "";
    String visible = null;
    for (String line : out.lines().filter(l -> l.startsWith(MARK)).toList()) {
      String[] parts = line.substring(MARK.length()).split(" ", 3);
      if (parts[0].equals("device") && parts.length == 3) {
        words.put(parts[2], parts[1]);
      } else if (parts[0].equals("gpus")) {
        gpus = parts.length > 1 ? parts[1] : "";
      } else if (parts[0].equals("visible")) {
        visible = parts.length > 1 ? parts[1] : "";
      }
    }
    return visible == null ? Optional.empty() : Optional.of(new JobOutput(words, gpus, visible));
  }
}
