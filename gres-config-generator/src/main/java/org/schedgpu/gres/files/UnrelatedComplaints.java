package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.SlurmConfig;

/**
 * Filters out complaints of slurmd that the new files did not cause: those about cores, of which
 * slurmd knows only those of its own host, and those that it also makes about the files in place.
 * An error that ends slurmd is never filtered out. For one use, not thread-safe.
 */
final class UnrelatedComplaints implements AutoCloseable {
  private static final Pattern OF_CORES =
      Pattern.compile("error: (xcpuinfo_abs_to_mac: failed|Invalid GRES data for .*, Cores=.*)");
  private static final Pattern ENDS =
      Pattern.compile("fatal: .*|error: slurmd -G (did not end|ended|was interrupted).*");

  private final Path folder;
  private final Asked asked;
  private final Map<String, String> hostByNode = new HashMap<>();
  private final Set<String> coresOf = new TreeSet<>();
  private final Set<String> knownComplaints = new TreeSet<>();
  private CheckFolder inPlace;
  private boolean looked;

  /** Lets slurmd read a folder. */
  interface Asked {
    /** The complaints; each line begins with {@code error:} or a similar word. */
    List<String> complaints(String node, CheckFolder copy) throws IOException;
  }

  /**
   * @param folder the files in place
   */
  UnrelatedComplaints(Path folder, Asked asked) {
    this.folder = folder;
    this.asked = asked;
  }

  /** The complaints of a node that are about the new files. */
  List<String> without(String node, List<String> complaints, CheckFolder copy) throws IOException {
    List<String> rest = new ArrayList<>();
    for (String words : complaints) {
      if (OF_CORES.matcher(words).matches() && !isHere(node, copy)) {
        coresOf.add(node);
      } else {
        rest.add(words);
      }
    }
    if (rest.isEmpty() || rest.stream().anyMatch(words -> ENDS.matcher(words).matches())) {
      return rest;
    }
    Set<String> before = before(node);
    rest.stream().filter(before::contains).forEach(knownComplaints::add);
    rest.removeAll(before);
    return rest;
  }

  /** The complaints that were filtered out, one line each. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (!coresOf.isEmpty()) {
      lines.add(
          "Cores= of %s cannot be judged here: slurmd compares them with the cores of this host"
              .formatted(Hostlist.compress(List.copyOf(coresOf))));
    }
    knownComplaints.forEach(words -> lines.add("slurmd says of the files in place, too: " + words));
    return lines;
  }

  private Set<String> before(String node) throws IOException {
    if (!looked) {
      looked = true;
      boolean isThere = Files.exists(folder.resolve(CheckFolder.SLURM_CONF));
      inPlace = isThere ? CheckFolder.make(folder, Map.of()) : null;
    }
    return inPlace == null ? Set.of() : new HashSet<>(asked.complaints(node, inPlace));
  }

  /** True if the node is this host, or if that cannot be determined. */
  private boolean isHere(String node, CheckFolder copy) throws IOException {
    if (hostByNode.isEmpty()) {
      try {
        SlurmConfig.read(copy.slurmConf())
            .nodes()
            .forEach(known -> hostByNode.put(known.name(), known.hostname()));
      } catch (GresException e) {
        return true; // slurmd itself reports what is wrong
      }
    }
    String here = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    String host = hostByNode.getOrDefault(node, node);
    return host.equals("localhost") || host.split("\\.", 2)[0].equals(here.split("\\.", 2)[0]);
  }

  @Override
  public void close() throws IOException {
    if (inPlace != null) {
      inPlace.close();
    }
  }
}
