package org.schedgpu.model;

import java.util.ArrayList;
import java.util.List;

/** A process as both sides know it, and its requests that are not settled. */
final class Attached {
  final Client client;

  /** In the core. */
  final int slot;

  final List<Place> places = new ArrayList<>();

  /** It asked while another of its requests was not settled. */
  boolean hasThreads;

  /** A place in the core's queue. */
  record Place(int waiter, long ticket) {}

  Attached(Client client, int slot) {
    this.client = client;
    this.slot = slot;
  }

  Client client() {
    return client;
  }

  int slot() {
    return slot;
  }

  boolean holdsAnything(int devices) {
    for (int d = 0; d < devices; d++) {
      if (client.inUse(d) > 0 || client.contexts(d) > 0) {
        return true;
      }
    }
    return false;
  }
}
