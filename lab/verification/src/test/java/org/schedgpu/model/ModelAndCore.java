package org.schedgpu.model;

import java.util.Optional;
import org.schedgpu.jna.CoreLibrary;
import org.schedgpu.jna.Policy;

/**
 * Drives the model and the C core with the same transitions, and compares them after each. A step
 * that makes no sense now, such as a release by a process that does not exist, does nothing.
 */
final class ModelAndCore implements AutoCloseable {
  /** Slots of processes, followed by those of the root side. */
  static final int SLOTS = 12;

  static final int OWNERS = 2;

  /** As short as the times of histories. */
  private static final long QUANTUM_NS = 30;

  private final Model model;
  private final Core core;
  private final ClientPair[] processes = new ClientPair[SLOTS + OWNERS];
  private final Comparison comparison;
  private final Coverage coverage;
  private final LaneComparison lanes;
  private final StepLog log;
  private final int devices;
  private final long graceNs;
  private long nowNs = 1;
  private boolean slept;
  private Answer answer = Answer.OK;

  ModelAndCore(NodeSpec spec, Coverage coverage, StepLog log) {
    this.coverage = coverage;
    this.log = log;
    devices = spec.devices().size();
    graceNs = spec.graceNs();
    model = new Model(spec);
    core = new Core(spec);
    comparison = new Comparison(model, processes, coverage);
    lanes = new LaneComparison(model, processes, coverage.lanes);
    model.setQuantum(QUANTUM_NS);
    core.setQuantum(QUANTUM_NS);
  }

  @Override
  public void close() {
    core.close();
  }

  Model model() {
    return model;
  }

  int devices() {
    return devices;
  }

  boolean present(int slot) {
    return processes[slot] != null;
  }

  ClientPair process(int slot) {
    return processes[slot];
  }

  void begin(JobSpec spec, int owner) {
    Optional<ClientPair> by = owner < 0 ? Optional.empty() : Optional.ofNullable(processes[owner]);
    Answer answer = model.begin(spec, by.map(ClientPair::client), nowNs);
    same(answer, core.begin(spec, by.map(ClientPair::slot).orElse(CoreLibrary.NONE), nowNs));
  }

  void beginLaneJob(JobSpec spec) {
    Answer answer = model.begin(spec, Optional.empty(), nowNs);
    same(answer, core.beginLaneJob(spec, spec.lane().orElseThrow(), nowNs));
  }

  void endIteration(int slot) {
    if (present(slot) && !turnGiven(slot)) {
      Answer answer = model.endIteration(processes[slot].client, nowNs);
      coverage.lanes.ended(answer);
      same(answer, core.endIteration(processes[slot].slot, nowNs));
    }
  }

  void shareLane(int slot) {
    if (present(slot)) {
      same(model.shareLane(processes[slot].client), core.shareLane(processes[slot].slot));
    }
  }

  void mapLane(int slot, long bytes) {
    if (present(slot)) {
      Answer answer = model.mapLane(processes[slot].client, bytes, nowNs);
      coverage.lanes.mapped(bytes, answer);
      same(answer, core.mapLane(processes[slot].slot, bytes, nowNs));
    }
  }

  /** Ends the wait of the process for a turn, whether given or not. */
  void settleTurn(int slot) {
    Answer answer = model.settleTurn(processes[slot].client, nowNs);
    coverage.lanes.settled(answer);
    same(answer, core.settleTurn(processes[slot].slot, nowNs));
  }

  boolean waitsForTurn(int slot) {
    return model.lanes().waitsForTurn(processes[slot].client);
  }

  boolean hasTurn(int slot) {
    return model.lanes().hasTurn(processes[slot].client);
  }

  boolean turnGiven(int slot) {
    return model.lanes().turnGiven(processes[slot].client);
  }

  /** A waiting process looks. */
  void look() {
    model.serve(nowNs);
    same(Answer.OK, core.look(nowNs));
  }

  /** Time passes, and nobody notices. */
  void sleep(long ns) {
    nowNs += ns;
    slept = true;
  }

  /** The core serves nobody if what ends had nothing, although time has passed. */
  private void lookAfterSleep() {
    if (slept) {
      look();
      slept = false;
    }
  }

  void end(long job) {
    lookAfterSleep();
    same(model.end(job, nowNs), core.end(job, nowNs));
  }

  void attach(int slot, long job) {
    if (!present(slot)) {
      Optional<Client> client = model.attach(job);
      came(slot, client, core.attach(job));
    }
  }

  void attachRootSide(int slot) {
    if (!present(slot)) {
      came(slot, Optional.of(model.attachRootSide()), core.attach(CoreLibrary.NO_JOB));
    }
  }

  private void came(int slot, Optional<Client> client, int coreSlot) {
    client.ifPresent(c -> processes[slot] = new ClientPair(c, coreSlot));
    same(client.isPresent() ? Answer.OK : Answer.ENOJOB, Math.min(coreSlot, 0));
  }

  void remove(int slot) {
    if (present(slot)) {
      lookAfterSleep();
      ClientPair process = processes[slot];
      processes[slot] = null;
      model.remove(process.client, nowNs);
      core.remove(process.slot, nowNs);
      same(Answer.OK, 0);
    }
  }

  void ask(int slot, int device, long bytes, RequestKind kind, boolean mayWait) {
    if (!present(slot)) {
      return;
    }
    ClientPair process = processes[slot];
    Answer answer = model.ask(process.client, device, bytes, kind, mayWait, nowNs);
    int rc = core.ask(process.slot, device, bytes, kind, mayWait, nowNs);
    if (core.ticket() != 0) {
      process.place = Optional.of(new ClientPair.Place(core.ticket()));
    }
    coverage.asked(answer, core.ticket() != 0);
    same(answer, rc);
  }

  /** The process takes what was granted to it, or the turn that it was given. */
  void take(int slot) {
    if (present(slot)) {
      if (turnGiven(slot)) {
        settleTurn(slot);
      }
      processes[slot]
          .place
          .filter(place -> model.granted(place.ticket()))
          .ifPresent(place -> settle(slot, place));
    }
  }

  /** Ends the wait of the process, whether granted or not. */
  void cancel(int slot) {
    if (present(slot)) {
      if (waitsForTurn(slot)) {
        settleTurn(slot);
      }
      processes[slot].place.ifPresent(place -> settle(slot, place));
    }
  }

  void settle(int slot, ClientPair.Place place) {
    ClientPair process = processes[slot];
    process.place = Optional.empty();
    Answer answer = model.settle(process.client, place.ticket(), nowNs);
    coverage.settled(answer);
    same(answer, core.settle(process.slot, place.ticket(), nowNs));
  }

  /** Releases {@code bytes}, or everything in use there. */
  void giveBack(int slot, int device, Optional<Long> bytes) {
    if (present(slot) && device < devices) {
      ClientPair process = processes[slot];
      long given = bytes.orElse(process.client.inUse(device));
      if (given > 0) {
        Answer answer = model.giveBack(process.client, device, given, nowNs);
        same(answer, core.giveBack(process.slot, device, given, nowNs));
      }
    }
  }

  void leaveContext(int slot, int device) {
    if (present(slot) && device < devices) {
      Answer answer = model.leaveContext(processes[slot].client, device, nowNs);
      same(answer, core.leaveContext(processes[slot].slot, device, nowNs));
    }
  }

  void setOverrun(long job, int device, long bytes) {
    Answer answer = model.unreserved().setOverrun(job, device, bytes, nowNs);
    same(answer, core.setOverrun(job, device, bytes, nowNs));
  }

  void setForeign(int device, long bytes) {
    Answer answer = model.unreserved().setForeign(device, bytes, nowNs);
    same(answer, core.setForeign(device, bytes, nowNs));
  }

  void setPolicy(Policy policy) {
    model.setPolicy(policy, nowNs);
    core.setPolicy(policy, nowNs);
    same(Answer.OK, 0);
  }

  void pass(long ns) {
    nowNs += ns;
    model.serve(nowNs);
    core.serveAll(nowNs);
    same(Answer.OK, 0);
  }

  /** Afterwards every budget that no process uses is idle. */
  void letGracePass() {
    pass(graceNs + 1);
  }

  /** The answer of the last transition. */
  Answer answer() {
    return answer;
  }

  private void same(Answer expected, int rc) {
    answer = expected;
    boolean same = expected.code() == rc;
    log.answered(same ? expected.name() : expected + ", in C " + Answer.nameOf(rc));
    coverage.transition();
    if (!same) {
      throw new Difference("the answer differs");
    }
    comparison.compare(core.state(), nowNs);
    lanes.compare(core.lanes());
    String broken = core.broken();
    if (!broken.isEmpty()) {
      throw new Difference("sg_check: " + broken);
    }
  }
}
