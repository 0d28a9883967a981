package org.schedgpu.rest;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.schedgpu.rest.SlurmRestException.Kind;

/**
 * The requests of schedGPU to slurmrestd, for every served version of its API. Thread-safe. Every
 * call ends within the address's time-out (three times that, with pauses, for questions that are
 * repeated) and throws {@link SlurmRestException} with the server's message.
 */
public final class SlurmRest {
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final ApiVersion api;
  private final Calls calls;
  private final Versions versions;
  private final int version;

  private SlurmRest(ApiVersion api, Calls calls, Versions versions, int version) {
    this.api = api;
    this.calls = calls;
    this.versions = versions;
    this.version = version;
  }

  /** Asks slurmrestd which versions it serves, and uses the newest that this client supports. */
  public static SlurmRest connect(SlurmRestAddress address) throws SlurmRestException {
    return connect(address, PAUSE);
  }

  static SlurmRest connect(SlurmRestAddress address, Duration pause) throws SlurmRestException {
    Calls calls = new Calls(address, pause);
    Transport transport = new Transport(address);
    Versions versions = new Versions(transport, address);
    int version = calls.ask("which versions it serves", versions::choose);
    return new SlurmRest(versions.client(version), calls, versions, version);
  }

  /** The version of the API in use, such as {@code v0.0.38}. */
  public String version() {
    return "v0.0." + version;
  }

  /** The release of Slurm that slurmrestd reports, {@code 22.05.8}; empty if it reports none. */
  public Optional<String> slurmRelease() throws SlurmRestException {
    return calls.ask("which release it is", () -> versions.release(version));
  }

  /** True if nodes can be drained and resumed through it: from v0.0.40 on. */
  public boolean canChangeNodes() {
    return version >= Versions.FIRST_OF_NEW_SHAPE;
  }

  /** Host names of the slurmctlds that answer slurmrestd. */
  public List<String> controllers() throws SlurmRestException {
    return calls.ask("ping", api::controllers);
  }

  /** All nodes. */
  public List<RestNode> nodes() throws SlurmRestException {
    return calls.ask("nodes", api::nodes);
  }

  /** One node; {@link Kind#REFUSED} if slurmctld does not know the name. */
  public RestNode node(String name) throws SlurmRestException {
    return calls.ask("node " + name, () -> only(api.node(name), "node " + name));
  }

  /** Drains a node. {@link Kind#UNSUPPORTED} with v0.0.38. */
  public void drain(String node, String reason) throws SlurmRestException {
    update(node, "DRAIN", reason);
  }

  /** Resumes a node. {@link Kind#UNSUPPORTED} with v0.0.38. */
  public void resume(String node) throws SlurmRestException {
    update(node, "RESUME", "");
  }

  private void update(String node, String state, String reason) throws SlurmRestException {
    calls.change(
        state.toLowerCase(java.util.Locale.ROOT) + " node " + node,
        () -> {
          api.updateNode(node, state, reason);
          return node;
        });
  }

  /** All partitions. */
  public List<RestPartition> partitions() throws SlurmRestException {
    return calls.ask("partitions", api::partitions);
  }

  /** All jobs that slurmctld remembers. */
  public List<RestJob> jobs() throws SlurmRestException {
    return calls.ask("jobs", api::jobs);
  }

  /** One job; {@link Kind#REFUSED} if slurmctld does not know it. */
  public RestJob job(long id) throws SlurmRestException {
    return calls.ask("job " + id, () -> only(api.job(id), "job " + id));
  }

  /** Submits a batch job; returns its id. Never sent twice. */
  public long submit(RestSubmission job) throws SlurmRestException {
    return calls.change("submit " + job.name(), () -> api.submit(job));
  }

  /** Cancels a job. */
  public void cancel(long id) throws SlurmRestException {
    calls.change(
        "cancel job " + id,
        () -> {
          api.cancel(id);
          return id;
        });
  }

  /**
   * Writes a field of a job that is not over; for one that is over, Slurm answers {@link
   * Kind#REFUSED}, see {@link SlurmRestException#isJobOver}. {@link Kind#UNSUPPORTED} with v0.0.38
   * for any field but the comment.
   */
  public void write(long id, JobField field, String text) throws SlurmRestException {
    calls.change(
        field.text() + " of job " + id,
        () -> {
          api.write(id, field, text);
          return id;
        });
  }

  private static <T> T only(List<T> found, String what) throws SlurmRestException {
    if (found.isEmpty()) {
      throw new SlurmRestException(Kind.REFUSED, "Slurm knows no " + what);
    }
    return found.get(0);
  }
}
