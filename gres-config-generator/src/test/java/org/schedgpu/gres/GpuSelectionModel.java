package org.schedgpu.gres;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The GPUs of an unbound node that slurmctld 24.05 and newer gives to a job by Links= alone: a
 * model of src/plugins/select/cons_tres/gres_select_filter.c. A GPU has no link to itself.
 */
public final class GpuSelectionModel {
  private final int[][] links;

  public GpuSelectionModel(int[][] links) {
    this.links = links;
  }

  /**
   * {@code --gres=gpu:k}: the lowest free GPU, then repeatedly the one with the fewest links to
   * those that the job has. After each choice the search begins behind the first GPU of the order.
   */
  public List<Integer> perNode(int count, Set<Integer> taken) {
    List<Integer> order = IntStream.range(0, links.length).boxed().collect(Collectors.toList());
    int[] linked = new int[links.length];
    List<Integer> picked = new ArrayList<>();
    for (int i = 0; i < order.size() && picked.size() < count; i++) {
      int gpu = order.get(i);
      if (picked.contains(gpu) || taken.contains(gpu)) {
        continue;
      }
      picked.add(gpu);
      for (int other = 0; other < links.length; other++) {
        linked[other] += other == gpu || taken.contains(other) ? 0 : links[gpu][other];
      }
      order.sort(Comparator.comparingInt(g -> linked[g]));
      i = 0;
    }
    return picked;
  }

  /**
   * {@code --gpus=k}: all free GPUs; repeatedly removes the one with the fewest links to the GPU
   * that begins the strongest link.
   */
  public List<Integer> perJob(int count, Set<Integer> taken) {
    List<Integer> left =
        IntStream.range(0, links.length)
            .filter(gpu -> !taken.contains(gpu))
            .boxed()
            .collect(Collectors.toList());
    int best = strongest(left);
    while (left.size() > count) {
      left.remove(
          left.stream()
              .filter(gpu -> gpu != best)
              .min(Comparator.comparingInt(gpu -> links[best][gpu]))
              .orElseThrow());
    }
    return left;
  }

  private int strongest(List<Integer> free) {
    int best = free.get(0);
    int most = -1;
    for (int i = 0; i < free.size(); i++) {
      for (int other : free.subList(i + 1, free.size())) {
        if (links[free.get(i)][other] > most) {
          most = links[free.get(i)][other];
          best = free.get(i);
        }
      }
    }
    return best;
  }
}
