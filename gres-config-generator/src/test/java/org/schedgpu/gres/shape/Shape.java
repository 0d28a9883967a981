package org.schedgpu.gres.shape;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.conf.Hostlist;

/**
 * A cluster as an administrator has it, what is planned for it, and what jobs get then: a folder
 * with {@code slurm.conf}, {@code gres.conf} and what else there is, and {@code shape.txt}:
 *
 * <pre># The first line of comment says what the shape is about.
 * plan --facts tux1.json --per-gpu 4   options of plan; names of files here are its files
 * nodes tux[1-2]                       whose slurmd runs; the others are lines only
 * gres tux1 gpu:k20m:8                 what slurmctld has to believe afterwards
 * may-change GresTypes,DefMemPerGPU    keys that the plan is to change beside Gres=
 * fill tux1 gpu:k20m = 0 1 0 1         one job of each virtual GPU at once, in order of index
 * job tux1 --gres=gpu:2 = 0 1          options of srun; the devices that the job can open
 * job tux1 --gpus=2 = 2-devices        whichever Slurm takes
 * job tux1 = none</pre>
 *
 * <p>A device is a number, which means {@code nvidia<number>} and {@code nvidiactl}, or a name.
 * Nodes are {@code tux<n>}, with address {@code 10.0.0.<n>} or, on one host, port {@code 70<n>}.
 */
record Shape(
    Path folder,
    String title,
    List<String> plan,
    List<String> nodes,
    Map<String, String> gres,
    List<String> mayChange,
    List<Fill> fills,
    List<Job> jobs) {

  /** A job with these options for each of the devices, all at the same time. */
  record Fill(String node, List<String> options, List<List<String>> devices) {}

  /** A job, and the devices that it may open, sorted. */
  record Job(String node, List<String> options, List<String> devices) {
    private static final String ANY = "-devices";

    /** True if these, sorted, are the expected ones. */
    boolean isRight(List<String> seen) {
      if (devices.size() == 1 && devices.get(0).endsWith(ANY)) {
        long count = seen.stream().filter(name -> name.matches("nvidia[0-9]+")).count();
        return devices.get(0).equals(count + ANY) && seen.size() == count + 1;
      }
      return devices.equals(seen);
    }
  }

  static Shape read(Path folder) {
    Shape shape =
        new Shape(
            folder,
            title(folder),
            new ArrayList<>(),
            new ArrayList<>(),
            new LinkedHashMap<>(),
            new ArrayList<>(),
            new ArrayList<>(),
            new ArrayList<>());
    lines(folder).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .forEach(line -> shape.add(words(line)));
    return shape;
  }

  private static List<String> lines(Path folder) {
    try {
      return Files.readAllLines(folder.resolve("shape.txt"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String title(Path folder) {
    return lines(folder).get(0).replaceFirst("^# ", "");
  }

  private static List<String> words(String line) {
    return new ArrayList<>(List.of(line.strip().split("\\s+")));
  }

  private void add(List<String> words) {
    String what = words.remove(0);
    switch (what) {
      case "plan" -> plan.addAll(words);
      case "nodes" -> nodes.addAll(Hostlist.expand(words.get(0)));
      case "gres" -> Hostlist.expand(words.get(0)).forEach(node -> gres.put(node, words.get(1)));
      case "may-change" -> mayChange.addAll(List.of(words.get(0).split(",", -1)));
      case "fill" -> fills.add(fill(words));
      case "job" -> jobs.add(job(words));
      default -> throw new IllegalArgumentException(folder + ", shape.txt: " + what);
    }
  }

  private static Fill fill(List<String> words) {
    int equals = words.lastIndexOf("=");
    List<List<String>> devices = new ArrayList<>();
    words.subList(equals + 1, words.size()).forEach(word -> devices.add(names(word)));
    List<String> options = new ArrayList<>(List.of("--gres=" + words.get(1) + ":1"));
    options.addAll(words.subList(2, equals));
    return new Fill(words.get(0), options, devices);
  }

  private static Job job(List<String> words) {
    int equals = words.lastIndexOf("=");
    List<String> devices =
        words.subList(equals + 1, words.size()).stream()
            .flatMap(word -> names(word).stream())
            .distinct()
            .sorted()
            .toList();
    return new Job(words.get(0), words.subList(1, equals), devices);
  }

  /** {@code 0}, {@code nvidia0}, {@code nvidia0+nvidia-caps/nvidia-cap1} or {@code none}. */
  private static List<String> names(String word) {
    List<String> names = new ArrayList<>();
    for (String part : word.split("\\+", -1)) {
      if (part.matches("[0-9]+")) {
        names.addAll(List.of("nvidia" + part, "nvidiactl"));
      } else if (!part.equals("none")) {
        names.add(part);
      }
    }
    return names.stream().sorted().toList();
  }
}
