package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One line of gres.conf that describes a GRES. Empty where the line says nothing.
 *
 * @param nodes the nodes it is for; empty: all
 * @param name gpu, shard, mps, nic, or what GresTypes has
 * @param files of File= or MultipleFiles=, one by one
 * @param multipleFiles whether all the files are one GRES
 * @param count as Slurm has it: of Count=, else one a file, else 1
 * @param cores of Cores= or its old name CPUs=, as written
 * @param links of Links= or Link=, as written
 * @param flags as written
 */
public record GresLine(
    ConfLine line,
    Optional<Set<String>> nodes,
    String name,
    Optional<String> type,
    List<String> files,
    boolean multipleFiles,
    long count,
    Optional<String> cores,
    Optional<String> links,
    Optional<String> flags) {

  /** Whether a node takes the line. */
  public boolean appliesTo(String node) {
    return nodes.map(list -> list.contains(node)).orElse(true);
  }
}
