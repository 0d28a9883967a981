package org.schedgpu.model;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.schedgpu.jna.Policy;

/** The transitions of the core, as docs/reference/rules.md describes them. */
public final class Model {
  private final Node node;

  /** A node without jobs and processes. */
  public Model(NodeSpec spec) {
    node = new Node(spec);
  }

  /** Begins or changes a job. If {@code owner} is present, the job ends with that process. */
  public Answer begin(JobSpec spec, Optional<Client> owner, long nowNs) {
    JobBegin begin = new JobBegin(node, spec);
    Answer answer = begin.check();
    if (answer != Answer.OK) {
      return answer;
    }
    Optional<Job> present = begin.present();
    if (present.isPresent() && present.get().spec.uid() == spec.uid()) {
      return change(begin, present.get(), nowNs);
    }
    present.ifPresent(job -> end(job, nowNs));
    return begin.add(owner);
  }

  private Answer change(JobBegin begin, Job job, long nowNs) {
    Answer answer = begin.change(job);
    if (answer == Answer.OK) {
      serve(nowNs);
    }
    return answer;
  }

  /** Ends a job. */
  public Answer end(long id, long nowNs) {
    Optional<Job> job = node.jobs.stream().filter(j -> j.id() == id).findFirst();
    job.ifPresent(j -> end(j, nowNs));
    return job.isPresent() ? Answer.OK : Answer.ENOJOB;
  }

  private void end(Job job, long nowNs) {
    JobStatistics.note(node, job);
    dismiss(waiter -> waiter.job == job, nowNs);
    node.ended.add(new EndedJob(job.id(), job.statistics, nowNs));
    leaveLane(job, nowNs);
    node.clients.stream().filter(client -> client.isOf(job)).forEach(Client::loseJob);
    node.jobs.remove(job);
    serve(nowNs);
  }

  private void leaveLane(Job job, long nowNs) {
    Turns turns = new Turns(node, nowNs);
    node.clients.stream().filter(client -> client.isOf(job)).forEach(turns::drop);
    new Lanes(node).leave(job, nowNs);
  }

  private void dismiss(Predicate<Waiter> which, long nowNs) {
    node.waiters.stream().filter(which).forEach(waiter -> waiter.endWait(nowNs));
    node.waiters.removeIf(which);
  }

  /** A process attaches to the job; empty if the job does not exist. */
  public Optional<Client> attach(long jobId) {
    Optional<Client> client =
        node.jobs.stream()
            .filter(job -> job.id() == jobId)
            .findFirst()
            .map(job -> new Client(Optional.of(job), node.devices.size()));
    client.ifPresent(node.clients::add);
    return client;
  }

  /** A process of the root side attaches. */
  public Client attachRootSide() {
    Client client = new Client(Optional.empty(), node.devices.size());
    node.clients.add(client);
    return client;
  }

  /** A process detaches, or has died. */
  public void remove(Client client, long nowNs) {
    dismiss(waiter -> waiter.client == client, nowNs);
    client.job.ifPresent(job -> JobStatistics.note(node, job));
    new Turns(node, nowNs).drop(client);
    node.clients.remove(client);
    client.job.ifPresent(this::withdrawAdmission);
    endOrphans(nowNs);
    serve(nowNs);
  }

  private void withdrawAdmission(Job job) {
    boolean keeps = job.spec.mode() == Mode.GATE && job.holds;
    job.admitted &= node.hasProcesses(job) || keeps;
  }

  private void endOrphans(long nowNs) {
    for (Job job : List.copyOf(node.jobs)) {
      boolean ownerGone = job.owner.isPresent() && !node.clients.contains(job.owner.get());
      if (ownerGone && !node.hasProcesses(job)) {
        end(job, nowNs);
      }
    }
  }

  /**
   * Asks for {@code bytes} of memory, for a context, or for the budget. If the answer is {@link
   * Answer#EWOULDBLOCK} and {@link #requests} has grown, the request was queued.
   */
  public Answer ask(
      Client client, int device, long bytes, RequestKind kind, boolean mayWait, long nowNs) {
    Answer answer = checkDevice(client, device);
    if (answer != Answer.OK) {
      return answer;
    }
    Job job = client.job.get();
    long needed = needed(device, bytes, kind);
    if (needed == 0 && kind != RequestKind.GATE) {
      return Answer.OK;
    }
    if (kind == RequestKind.GATE && job.spec.mode() != Mode.GATE && !job.isLaneJob()) {
      return Answer.EINVAL;
    }
    Waiter waiter = new Waiter(client, job, kind, device, needed);
    return counted(
        needed > Units.MAX_BYTES ? Answer.ETOOBIG : new Requests(node, nowNs).ask(waiter, mayWait),
        waiter);
  }

  /** The core refuses what exceeds the job's own limit, not what does not fit at the moment. */
  private Answer counted(Answer answer, Waiter waiter) {
    boolean never = answer == Answer.EBUDGET || answer == Answer.ETOOBIG;
    if (never && waiter.kind == RequestKind.MEMORY) {
      long most =
          node.devicesOf(waiter.job).stream()
              .mapToLong(d -> node.devices.get(d).totalBytes())
              .max()
              .orElse(0);
      waiter.job.statistics.refused(waiter.bytes, most);
    }
    return answer;
  }

  private long needed(int device, long bytes, RequestKind kind) {
    return switch (kind) {
      case MEMORY -> Units.roundUp(bytes);
      case CONTEXT -> node.devices.get(device).contextBytes();
      case GATE -> 0;
    };
  }

  /** Ends the wait of a process: it takes a granted request, or its request leaves the queue. */
  public Answer settle(Client client, long ticket, long nowNs) {
    Optional<Waiter> waiter = find(ticket).filter(w -> w.client == client);
    return waiter.isEmpty()
        ? Answer.ENOJOB
        : counted(new Requests(node, nowNs).settle(waiter.get()), waiter.get());
  }

  /** Begins an iteration: asks for the turn, first for a lane if the job has none. */
  public Answer beginIteration(Client client, int device, boolean mayWait, long nowNs) {
    return ask(client, device, 0, RequestKind.GATE, mayWait, nowNs);
  }

  /** Ends the iteration of a process. EKEPT: its turn should pass on, but cannot be returned. */
  public Answer endIteration(Client client, long nowNs) {
    Turns turns = new Turns(node, nowNs);
    if (!turns.end(client)) {
      return Answer.OK;
    }
    serve(nowNs);
    return turns.isKept(client) ? Answer.EKEPT : Answer.OK;
  }

  /** Ends the wait of a process for a turn. OK: it was given. */
  public Answer settleTurn(Client client, long nowNs) {
    Answer answer = new Turns(node, nowNs).settle(client);
    serve(nowNs);
    return answer;
  }

  /** The job of the process shares its lane from now on. */
  public Answer shareLane(Client client) {
    Optional<Job> job = client.job;
    if (job.isEmpty()) {
      return Answer.ENOJOB;
    }
    boolean possible = job.get().sharesLane || new Lanes(node).mayShare(job.get());
    job.get().sharesLane |= possible;
    return possible ? Answer.OK : Answer.EINVAL;
  }

  /** The process maps so much of its shared lane. */
  public Answer mapLane(Client client, long bytes, long nowNs) {
    Answer answer = client.job.map(job -> checkMap(job, client, bytes)).orElse(Answer.ENOJOB);
    if (answer == Answer.OK) {
      JobStatistics.note(node, client.job.orElseThrow());
      client.mappedBytes = bytes;
      serve(nowNs);
    }
    return answer;
  }

  private static Answer checkMap(Job job, Client client, long bytes) {
    if (bytes == 0) {
      return Answer.OK;
    }
    if (!job.sharesLane || job.lane.isEmpty()) {
      return Answer.EINVAL;
    }
    Lane lane = job.lane.get();
    if (!lane.busy || !lane.isHeldBy(client)) {
      return Answer.ETURN;
    }
    return bytes > job.ephemeralBytes() ? Answer.EBUDGET : Answer.OK;
  }

  /** Sets for how long a process keeps the turn of a fair lane. */
  public void setQuantum(long quantumNs) {
    node.quantumNs = quantumNs;
  }

  /** Lanes and turns, to look at. */
  public LaneView lanes() {
    return new LaneView(node);
  }

  /** Gives memory back. */
  public Answer giveBack(Client client, int device, long bytes, long nowNs) {
    Answer answer = checkDevice(client, device);
    long given = Units.roundUp(bytes);
    if (answer != Answer.OK || given > client.inUse[device]) {
      return answer != Answer.OK ? answer : Answer.EUNDERFLOW;
    }
    client.inUse[device] -= given;
    Job job = client.job.get();
    if (!job.reservesBudget()) {
      serve(nowNs);
    } else if (client.inUse[device] == 0) {
      client.idleFrom(device, nowNs);
      serve(nowNs);
    } else if (job.overflowWaits()) {
      serve(nowNs);
    }
    return Answer.OK;
  }

  /** The process leaves its contexts on the device. */
  public Answer leaveContext(Client client, int device, long nowNs) {
    Answer answer = checkDevice(client, device);
    if (answer != Answer.OK || client.contexts[device] == 0) {
      return answer != Answer.OK ? answer : Answer.EUNDERFLOW;
    }
    JobStatistics.note(node, client.job.get());
    client.contexts[device] = 0;
    serve(nowNs);
    return Answer.OK;
  }

  /** ENOJOB if the process has no job, EDEVICE if the device is not one of its job's, else OK. */
  private static Answer checkDevice(Client client, int device) {
    if (client.job.isEmpty()) {
      return Answer.ENOJOB;
    }
    return client.job.get().has(device) ? Answer.OK : Answer.EDEVICE;
  }

  /** Changes the policy. */
  public void setPolicy(Policy policy, long nowNs) {
    node.policy = policy;
    serve(nowNs);
  }

  /** Time has passed, so budgets may have become idle. */
  public void serve(long nowNs) {
    new QueueService(node, nowNs).serve();
  }

  private Optional<Waiter> find(long ticket) {
    return node.waiters.stream().filter(waiter -> waiter.ticket == ticket).findFirst();
  }

  /** Memory in use that nobody reserved. */
  public UnreservedMemory unreserved() {
    return new UnreservedMemory(node);
  }

  /** True if the request is in a queue. */
  public boolean waits(long ticket) {
    return find(ticket).filter(Waiter::waits).isPresent();
  }

  /** True if the request is granted and not yet taken. */
  public boolean granted(long ticket) {
    return find(ticket).filter(waiter -> waiter.granted).isPresent();
  }

  /** The number of requests that wait, or are granted and not yet taken. */
  public int requests() {
    return node.waiters.size();
  }

  /** The number of jobs. */
  public int jobs() {
    return node.jobs.size();
  }

  /** Ids of the jobs that have no process. */
  public List<Long> jobsWithoutProcesses() {
    return node.jobs.stream().filter(job -> !node.hasProcesses(job)).map(Job::id).toList();
  }

  /** True if a job with this id exists. */
  public boolean hasJob(long id) {
    return job(id).isPresent();
  }

  /** True if the job with this id is admitted. */
  public boolean admitted(long id) {
    return job(id).filter(job -> job.admitted).isPresent();
  }

  /** True if the job with this id holds its budget. */
  public boolean holds(long id) {
    return job(id).filter(job -> job.holds).isPresent();
  }

  /** True if any held budget has grown. */
  public boolean someOverflow() {
    return node.jobs.stream().anyMatch(job -> job.overflow.values().stream().anyMatch(b -> b > 0));
  }

  /** The statistics of the job with this id, which must exist. */
  public JobStatistics statistics(long id) {
    return job(id).orElseThrow().statistics;
  }

  /** The jobs that ended, the oldest first. */
  public List<EndedJob> ended() {
    return Collections.unmodifiableList(node.ended);
  }

  private Optional<Job> job(long id) {
    return node.jobs.stream().filter(job -> job.id() == id).findFirst();
  }

  /**
   * True if a process beyond the number that its job declared waits for a context: such a wait may
   * never end.
   */
  public boolean surplusContextWaits() {
    FitRules fits = FitRules.now(node);
    return node.waiters.stream()
        .anyMatch(w -> w.waits() && w.isContext() && w.job.admitted && !fits.covered(w));
  }

  /** Bytes that can be used on a device. */
  public long usable(int device) {
    return Sums.of(node).usable(device);
  }

  /** Bytes that are used on a device. */
  public long used(int device) {
    return Sums.of(node).used(device);
  }

  /** Bytes that are free on a device. */
  public long free(int device) {
    return Sums.of(node).free(device);
  }

  /** Bytes of the contexts of all jobs on a device. */
  public long contexts(int device) {
    return Sums.of(node).contexts(device);
  }
}
