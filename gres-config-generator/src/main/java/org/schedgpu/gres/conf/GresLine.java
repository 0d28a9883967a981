package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One line of gres.conf that describes a GRES. A value that the line does not set is empty.
 *
 * @param nodes nodes to which the line applies; empty: all nodes
 * @param name gpu, shard, mps, nic, or what GresTypes has
 * @param files the files of File= or MultipleFiles=
 * @param multipleFiles whether all the files are one GRES
 * @param count of Count=, else the number of files, else 1
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

  /** True if the line applies to a node. */
  public boolean appliesTo(String node) {
    return nodes.map(list -> list.contains(node)).orElse(true);
  }
}
