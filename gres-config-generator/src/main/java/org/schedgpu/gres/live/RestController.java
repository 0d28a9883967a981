package org.schedgpu.gres.live;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.rest.RestJob;
import org.schedgpu.rest.RestNode;
import org.schedgpu.rest.SlurmRest;
import org.schedgpu.rest.SlurmRestAddress;
import org.schedgpu.rest.SlurmRestException;

/** Reaches slurmctld through slurmrestd. */
public final class RestController implements Controller {
  /**
   * The states of a job that has ended; in every other state it is pending or still on its nodes.
   */
  private static final Set<String> OVER =
      Set.of(
          "COMPLETED",
          "CANCELLED",
          "FAILED",
          "TIMEOUT",
          "NODE_FAIL",
          "PREEMPTED",
          "BOOT_FAIL",
          "DEADLINE",
          "OUT_OF_MEMORY",
          "REVOKED");

  private final SlurmRest rest;
  private final SlurmRestAddress address;

  private RestController(SlurmRest rest, SlurmRestAddress address) {
    this.rest = rest;
    this.address = address;
  }

  /**
   * Connects, and asks slurmrestd which versions it serves.
   *
   * @throws LiveException if slurmrestd does not answer, or serves no supported version
   */
  public static RestController connect(SlurmRestAddress address) {
    try {
      return new RestController(SlurmRest.connect(address), address);
    } catch (SlurmRestException e) {
      throw failed(e);
    }
  }

  @Override
  public String description() {
    return "slurmrestd at " + address.uri() + " " + rest.version();
  }

  @Override
  public List<LiveNode> nodes() {
    return answer(rest::nodes).stream().map(RestController::node).toList();
  }

  @Override
  public List<LiveJob> jobs() {
    return answer(rest::jobs).stream()
        .filter(RestController::isNotOver)
        .map(RestController::job)
        .toList();
  }

  @Override
  public Optional<String> slurmVersion() {
    return answer(rest::slurmRelease);
  }

  @Override
  public boolean canChangeNodes() {
    return rest.canChangeNodes();
  }

  @Override
  public void drain(String node, String reason) {
    answer(
        () -> {
          rest.drain(NodeNames.one(node), reason);
          return node;
        });
  }

  @Override
  public void resume(String node) {
    answer(
        () -> {
          rest.resume(NodeNames.one(node));
          return node;
        });
  }

  private static LiveNode node(RestNode node) {
    return new LiveNode(
        node.name(),
        new HashSet<>(node.states()),
        none(node.gres()),
        none(node.gresUsed()),
        node.reason(),
        node.cpus());
  }

  private static String none(String value) {
    return value.equals("(null)") || value.equals("N/A") ? "" : value;
  }

  /**
   * True for every job that has not ended. A job whose Epilog still runs is completing, and is
   * still on its nodes.
   */
  private static boolean isNotOver(RestJob job) {
    return job.flags().contains("COMPLETING") || !OVER.contains(job.state());
  }

  private static LiveJob job(RestJob job) {
    String state = job.flags().contains("COMPLETING") ? "COMPLETING" : job.state();
    return new LiveJob(
        job.id(), job.user(), state, JobRecords.nodes(job.nodes()), job.gresRequested());
  }

  private interface Question<T> {
    T ask() throws SlurmRestException;
  }

  private static <T> T answer(Question<T> question) {
    try {
      return question.ask();
    } catch (SlurmRestException e) {
      throw failed(e);
    }
  }

  private static LiveException failed(SlurmRestException e) {
    return new LiveException(
        e.getMessage(),
        switch (e.kind()) {
          case UNAUTHORIZED -> "set SLURM_JWT to a token of scontrol token";
          case UNREACHABLE, TIMED_OUT -> "see that slurmrestd runs there, or leave out --rest";
          default -> "leave out --rest to use scontrol, or see what slurmrestd logs";
        },
        e);
  }
}
