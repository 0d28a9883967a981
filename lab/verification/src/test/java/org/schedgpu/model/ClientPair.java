package org.schedgpu.model;

import java.util.Optional;

/** A process as model and core know it, and its open request. */
final class ClientPair {
  final Client client;

  /** In the core. */
  final int slot;

  Optional<Place> place = Optional.empty();

  /** A place in the core's queue. */
  record Place(long ticket) {}

  ClientPair(Client client, int slot) {
    this.client = client;
    this.slot = slot;
  }

  Client client() {
    return client;
  }

  int slot() {
    return slot;
  }
}
