package org.schedgpu.simulator.input;

import java.util.List;
import org.schedgpu.simulator.cluster.NodeSpec;

/**
 * The nodes of an input.
 *
 * @param nodes those that are played; at least one
 * @param read nodes that the input has
 * @param leftOut of them
 * @param down names and states of the played nodes on which no job can start at present
 * @param release of Slurm, as {@code 22.05.8}; empty if the input does not say it
 */
public record Nodes(
    List<NodeSpec> nodes, long read, LeftOut leftOut, List<String> down, String release) {
  /** Nodes of which no more is known. */
  public Nodes(List<NodeSpec> nodes) {
    this(nodes, nodes.size(), new LeftOut(), List.of(), "");
  }
}
