package org.schedgpu.papers.remote;

import java.util.ArrayList;
import java.util.List;

/**
 * The nodes, and the rules of Figures 5 and 6. Nodes are looked at in their order; so are those
 * that lend GPUs, which the paper leaves open.
 */
final class Servers {
  private final List<Server> all = new ArrayList<>();
  private int freeGpus;
  private int withoutJob;

  Servers(int nodes, NodeModel model) {
    for (int i = 0; i < nodes; i++) {
      all.add(new Server(i, model));
    }
    freeGpus = nodes * model.gpus();
    withoutJob = nodes;
  }

  Server get(int index) {
    return all.get(index);
  }

  /** Gives the job what it needs; the list is empty, and nothing given, if there is too little. */
  List<Place> place(QueueJob job, QueueRule rule) {
    List<Place> places = new ArrayList<>(job.nodes());
    boolean hopeless =
        rule == QueueRule.G ? withoutJob < job.nodes() : freeGpus < job.nodes() * job.gpus();
    if (hopeless) {
      return places;
    }
    addSuitable(job, places);
    if (rule == QueueRule.R) {
      addWithRemoteGpus(job, places);
    }
    if (places.size() < job.nodes()) {
      places.forEach(place -> remove(job, place));
      places.clear();
    }
    return places;
  }

  /** Figure 5. */
  private void addSuitable(QueueJob job, List<Place> places) {
    for (Server server : all) {
      if (places.size() == job.nodes()) {
        return;
      }
      if (!server.hasJob() && server.hasRoomBesideGpus(job) && server.freeGpus >= job.gpus()) {
        add(job, new Place(server.index, job.gpus(), List.of(), false), places);
      }
    }
  }

  /** Figure 6, from its second loop on. A job has each node once. */
  private void addWithRemoteGpus(QueueJob job, List<Place> places) {
    int natively = places.size();
    for (Server server : all) {
      if (places.size() == job.nodes() || freeGpus < job.gpus()) {
        return;
      }
      boolean taken =
          places.subList(0, natively).stream().anyMatch(place -> place.server() == server.index);
      if (!taken && server.hasRoomBesideGpus(job)) {
        add(job, withRemoteGpus(job, server), places);
      }
    }
  }

  /** From itself as many as there are, the rest from other nodes. */
  private Place withRemoteGpus(QueueJob job, Server server) {
    int local = Math.min(server.freeGpus, job.gpus());
    List<Integer> remote = new ArrayList<>();
    for (int other = 0; other < all.size() && local + remote.size() < job.gpus(); other++) {
      for (int gpu = 0;
          other != server.index
              && gpu < all.get(other).freeGpus
              && local + remote.size() < job.gpus();
          gpu++) {
        remote.add(other);
      }
    }
    return new Place(server.index, local, remote, true);
  }

  private void add(QueueJob job, Place place, List<Place> places) {
    change(job, place, 1);
    places.add(place);
  }

  /** Gives back what the job has there. */
  void remove(QueueJob job, Place place) {
    change(job, place, -1);
  }

  private void change(QueueJob job, Place place, int sign) {
    Server server = all.get(place.server());
    withoutJob -= server.hasJob() ? 0 : 1;
    server.jobs += sign;
    withoutJob += server.hasJob() ? 0 : 1;
    server.freeCpus -= sign * job.cpus();
    server.freeMemoryBytes -= sign * job.memoryBytes();
    server.freeGpus -= sign * place.localGpus();
    server.streams += sign * place.remoteServers().size();
    for (int other : place.remoteServers()) {
      all.get(other).freeGpus -= sign;
      all.get(other).streams += sign;
    }
    freeGpus -= sign * job.gpus();
  }
}
