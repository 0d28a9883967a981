package org.schedgpu.gres.site;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmNode;

/**
 * {@code GresTypes=} with shard or mps makes every slurmd, also on nodes that have neither, count
 * each file of {@code MultipleFiles=} as a GPU: a node of 8 virtual GPUs has 16. (Seen with 22.05,
 * {@code gres_c_s_init_share_devices} in Slurm's source.)
 */
final class SharingPlugins {
  private static final String TYPES = "GresTypes";
  private static final List<String> SHARING = List.of("shard", "mps");

  private SharingPlugins() {}

  /**
   * Removes them from GresTypes= if no node has them any more.
   *
   * @throws org.schedgpu.gres.common.GresException if a node still has them
   */
  static void check(SiteEdits site, SitePlan plan) {
    if (hasShards(plan)) {
      return;
    }
    Optional<Setting> types = site.config().setting(TYPES);
    List<String> loaded = types.map(t -> words(t.value())).orElse(List.of());
    List<String> sharing = loaded.stream().filter(SHARING::contains).toList();
    if (sharing.isEmpty()) {
      return;
    }
    Set<String> users = users(site, plan.gresByNode());
    String names = String.join(" and ", sharing);
    if (!users.isEmpty()) {
      throw types
          .get()
          .place()
          .error(
              "%s= has %s, which %s has: with it slurmd takes each file of a share for a GPU, on all nodes of the cluster"
                  .formatted(TYPES, names, Hostlist.compress(users)),
              "plan these nodes too, with --remove-shards, or take %s out of their Gres= first"
                  .formatted(names));
    }
    sharing.forEach(word -> site.removeGlobal(TYPES, word));
    site.warn(
        "%s= loses %s, which no node has any more: with it slurmd would take each file of a share for a GPU"
            .formatted(TYPES, names));
  }

  /** True if the plan itself is one of shards, which has no MultipleFiles=. */
  private static boolean hasShards(SitePlan plan) {
    return plan.gresByNode().values().stream()
        .flatMap(gres -> words(gres).stream())
        .anyMatch(part -> part.split(":", 2)[0].equals("shard"));
  }

  private static Set<String> users(SiteEdits site, Map<String, String> planned) {
    Set<String> users = new TreeSet<>();
    for (SlurmNode node : site.config().nodes()) {
      String now = node.gres().map(Setting::value).orElse("");
      if (words(planned.getOrDefault(node.name(), now)).stream().anyMatch(SharingPlugins::is)) {
        users.add(node.name());
      }
    }
    return users;
  }

  private static boolean is(String gres) {
    return SHARING.contains(gres.split(":", 2)[0]);
  }

  private static List<String> words(String list) {
    return Stream.of(list.split(",", -1)).map(String::strip).toList();
  }
}
