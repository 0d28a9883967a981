package org.schedgpu.minicluster;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The settings from the builder, checked and immutable. Texts are the contents of the files of that
 * name.
 */
record ClusterSettings(
    ClusterPaths paths,
    List<NodeSpec> nodes,
    boolean nodeLines,
    String gresConf,
    String plugstackConf,
    List<String> slurmConfLines,
    List<Path> hooks,
    boolean constrainDevices,
    Map<String, String> jobEnvironment,
    boolean rest,
    boolean restJwt,
    boolean accounting,
    boolean keepDirectory) {

  List<String> nodeNames() {
    return nodes.stream().map(NodeSpec::name).toList();
  }
}
