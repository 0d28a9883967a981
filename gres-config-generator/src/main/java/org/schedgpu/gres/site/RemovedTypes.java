package org.schedgpu.gres.site;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.schedgpu.gres.conf.GresSpec;
import org.schedgpu.gres.conf.Hostlist;

/** Warns of types that users request and that a node no longer has. Changes nothing. */
final class RemovedTypes {
  private record Lost(String before, String after) {}

  private RemovedTypes() {}

  static void check(SiteEdits site, SitePlan plan) {
    Map<Lost, List<String>> namesByLost = new LinkedHashMap<>();
    for (NodeChange node : plan.nodes()) {
      Set<String> after = types(node.after());
      Set<String> lost = types(node.before());
      lost.removeAll(after);
      lost.forEach(
          type ->
              namesByLost
                  .computeIfAbsent(new Lost(type, words(after)), l -> new ArrayList<>())
                  .add(node.name()));
    }
    namesByLost.forEach(
        (lost, names) ->
            site.warn(
                Severity.LOSS,
                "%1$s has no gpu:%2$s any more but %3$s: jobs that ask for gpu:%2$s there are refused; --type 'NAME=%2$s' keeps it, NAME as the facts call the device"
                    .formatted(Hostlist.compress(names), lost.before(), lost.after())));
  }

  private static String words(Set<String> types) {
    return types.stream().map(type -> "gpu:" + type).collect(Collectors.joining(" and "));
  }

  private static Set<String> types(String gres) {
    Set<String> types = new TreeSet<>();
    for (GresSpec spec : NodeChange.specs(gres)) {
      spec.type().ifPresent(types::add);
    }
    return types;
  }
}
