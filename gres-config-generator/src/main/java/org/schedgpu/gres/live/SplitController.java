package org.schedgpu.gres.live;

import java.util.List;
import java.util.Optional;

/** Reads through one controller and changes nodes through another. */
final class SplitController implements Controller {
  private final Controller reader;
  private final Controller writer;

  SplitController(Controller reader, Controller writer) {
    this.reader = reader;
    this.writer = writer;
  }

  @Override
  public String description() {
    return reader.description() + ", changes through " + writer.description();
  }

  @Override
  public List<LiveNode> nodes() {
    return reader.nodes();
  }

  @Override
  public List<LiveJob> jobs() {
    return reader.jobs();
  }

  @Override
  public Optional<String> slurmVersion() {
    return reader.slurmVersion();
  }

  @Override
  public boolean canChangeNodes() {
    return writer.canChangeNodes();
  }

  @Override
  public void drain(String node, String reason) {
    writer.drain(node, reason);
  }

  @Override
  public void resume(String node) {
    writer.resume(node);
  }
}
