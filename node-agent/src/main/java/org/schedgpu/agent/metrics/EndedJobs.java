package org.schedgpu.agent.metrics;

import org.schedgpu.jna.RegionSnapshot;

final class EndedJobs {
  EndedJobs(long sinceNs) {}

  void see(RegionSnapshot snapshot) {}

  void addTo(Families to) {}
}
