package org.schedgpu.gres.live;

import java.util.List;
import java.util.Optional;

/** Reads through one controller and changes nodes through another. */
final class SplitController implements Controller {
  private final Controller asked;
  private final Controller told;

  SplitController(Controller asked, Controller told) {
    this.asked = asked;
    this.told = told;
  }

  @Override
  public String description() {
    return asked.description() + ", changes through " + told.description();
  }

  @Override
  public List<LiveNode> nodes() {
    return asked.nodes();
  }

  @Override
  public List<LiveJob> jobs() {
    return asked.jobs();
  }

  @Override
  public Optional<String> slurmVersion() {
    return asked.slurmVersion();
  }

  @Override
  public boolean canChangeNodes() {
    return told.canChangeNodes();
  }

  @Override
  public void drain(String node, String reason) {
    told.drain(node, reason);
  }

  @Override
  public void resume(String node) {
    told.resume(node);
  }
}
