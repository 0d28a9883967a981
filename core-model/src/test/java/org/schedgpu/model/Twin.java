package org.schedgpu.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** The model and the C core, driven by the same transitions and compared after each of them. */
final class Twin implements AutoCloseable {
  /** Slots of processes, then those of the root side. */
  static final int SLOTS = 12;

  static final int OWNERS = 2;

  /** A process with several threads may ask more than once at a time. */
  private static final int REQUESTS = 2;

  private final Model model;
  private final Core core;
  private final Attached[] processes = new Attached[SLOTS + OWNERS];
  private final Coverage coverage;
  private final Set<Long> waitedBefore = new HashSet<>();
  private final long graceNs;
  private long nowNs = 1;
  private final Story story;

  /** A process as both sides know it, and the requests that it has to settle. */
  private static final class Attached {
    final Client client;
    final int slot;
    final List<Place> places = new ArrayList<>();

    /** It asked while another of its requests was not settled. */
    boolean hasThreads;

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
  }

  private record Place(int waiter, long ticket) {}

  Twin(NodeSpec spec, Coverage coverage, Story story) {
    this.coverage = coverage;
    this.story = story;
    graceNs = spec.graceNs();
    model = new Model(spec);
    core = new Core(spec);
  }

  @Override
  public void close() {
    core.close();
  }

  private boolean present(int slot) {
    return processes[slot] != null;
  }

  // --- transitions: each does nothing if it makes no sense now ---

  void begin(JobSpec spec, int owner) {
    Optional<Attached> by = owner < 0 ? Optional.empty() : Optional.ofNullable(processes[owner]);
    Answer answer = model.begin(spec, by.map(Attached::client), nowNs);
    same(answer, core.begin(spec, by.map(Attached::slot).orElse(CoreLibrary.NONE), nowNs));
  }

  void end(long job) {
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
    client.ifPresent(c -> processes[slot] = new Attached(c, coreSlot));
    same(client.isPresent() ? Answer.OK : Answer.ENOJOB, Math.min(coreSlot, 0));
  }

  void remove(int slot) {
    if (present(slot)) {
      Attached process = processes[slot];
      processes[slot] = null;
      model.remove(process.client, nowNs);
      core.remove(process.slot, nowNs);
      same(Answer.OK, 0);
    }
  }

  void ask(int slot, int device, long bytes, Kind kind, boolean mayWait) {
    if (!present(slot) || processes[slot].places.size() >= REQUESTS) {
      return;
    }
    Attached process = processes[slot];
    process.hasThreads |= !process.places.isEmpty();
    Answer answer = model.ask(process.client, device, bytes, kind, mayWait, nowNs);
    int rc = core.ask(process.slot, device, bytes, kind, mayWait, nowNs);
    if (core.waiter() != CoreLibrary.NONE) {
      process.places.add(new Place(core.waiter(), core.ticket()));
    }
    coverage.asked(answer, core.waiter() != CoreLibrary.NONE);
    same(answer, rc);
  }

  /** Takes the oldest request of the process that was granted. */
  void take(int slot) {
    if (present(slot)) {
      processes[slot].places.stream()
          .filter(place -> model.granted(place.ticket))
          .findFirst()
          .ifPresent(place -> settle(processes[slot], place));
    }
  }

  /** Ends the wait for the oldest request of the process, granted or not. */
  void cancel(int slot) {
    if (present(slot) && !processes[slot].places.isEmpty()) {
      settle(processes[slot], processes[slot].places.get(0));
    }
  }

  private void settle(Attached process, Place place) {
    process.places.remove(place);
    Answer answer = model.settle(process.client, place.ticket, nowNs);
    coverage.settled(answer);
    same(answer, core.settle(place.waiter, place.ticket, process.slot, nowNs));
  }

  /** Gives back {@code bytes}, or all that is in use there. */
  void giveBack(int slot, int device, Optional<Long> bytes) {
    if (present(slot) && device < core.state().devices()) {
      Attached process = processes[slot];
      long given = bytes.orElse(process.client.inUse(device));
      if (given > 0) {
        Answer answer = model.giveBack(process.client, device, given, nowNs);
        same(answer, core.giveBack(process.slot, device, given, nowNs));
      }
    }
  }

  void leaveContext(int slot, int device) {
    if (present(slot) && device < core.state().devices()) {
      Answer answer = model.leaveContext(processes[slot].client, device, nowNs);
      same(answer, core.leaveContext(processes[slot].slot, device, nowNs));
    }
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

  // --- comparing ---

  private void same(Answer expected, int rc) {
    story.answered(
        expected.code() == rc ? expected.name() : expected + ", in C " + Answer.nameOf(rc));
    require(expected.code() == rc, "the answer differs");
    coverage.transition();
    compare();
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new Difference(what);
    }
  }

  private static void equal(String what, long model, long c) {
    if (model != c) {
      throw new Difference(what + ": " + model + " in the model, in C " + c);
    }
  }

  private void compare() {
    CoreState state = core.state();
    compareWaiters(state);
    compareJobs(state);
    compareDevices(state);
    compareClients(state);
    String broken = core.broken();
    require(broken.isEmpty(), "sg_check: " + broken);
  }

  private void compareDevices(CoreState state) {
    for (int d = 0; d < state.devices(); d++) {
      long free = model.free(d);
      equal("used on device " + d, model.used(d), state.used(d));
      equal("free on device " + d, free, state.free(d));
      equal("contexts on device " + d, model.contexts(d), state.contexts(d));
      require(free >= 0, "more is used than there is on device " + d);
    }
  }

  private void compareJobs(CoreState state) {
    equal("number of jobs", model.jobs(), state.jobs());
    for (int i = 0; i < state.jobs(); i++) {
      long id = state.jobId(i);
      require(model.hasJob(id), "only C has job " + id);
      equal("job " + id + " admitted", asNumber(model.admitted(id)), asNumber(state.admitted(i)));
      equal("job " + id + " holds", asNumber(model.holds(id)), asNumber(state.holds(i)));
    }
  }

  private static long asNumber(boolean yes) {
    return yes ? 1 : 0;
  }

  private void compareWaiters(CoreState state) {
    equal("number of requests", model.requests(), state.waiters());
    for (int i = 0; i < state.waiters(); i++) {
      long ticket = state.ticket(i);
      require(model.waits(ticket) || model.granted(ticket), "only C has ticket " + ticket);
      equal(
          "ticket " + ticket + " granted",
          asNumber(model.granted(ticket)),
          asNumber(state.granted(i)));
      if (state.granted(i) && waitedBefore.contains(ticket)) {
        require(state.woke(ticket), "ticket " + ticket + " was granted and not woken");
        coverage.granted();
      }
    }
    rememberWaiting(state);
  }

  private void rememberWaiting(CoreState state) {
    waitedBefore.clear();
    for (int i = 0; i < state.waiters(); i++) {
      if (!state.granted(i)) {
        waitedBefore.add(state.ticket(i));
      }
    }
  }

  private void compareClients(CoreState state) {
    equal(
        "number of processes",
        Arrays.stream(processes).filter(p -> p != null).count(),
        state.clients());
    for (int i = 0; i < state.clients(); i++) {
      int slot = state.slot(i);
      Client client = clientOf(slot);
      equal("job of slot " + slot, client.jobIdOr(CoreLibrary.NO_JOB), state.jobOfClient(i));
      for (int d = 0; d < state.devices(); d++) {
        equal("in use by slot " + slot, client.inUse(d), state.inUse(i, d));
        equal("contexts of slot " + slot, client.contexts(d), state.contextsOfClient(i, d));
      }
    }
  }

  private Client clientOf(int slot) {
    for (Attached process : processes) {
      if (process != null && process.slot == slot) {
        return process.client;
      }
    }
    throw new Difference("only C has a process in slot " + slot);
  }

  // --- the end: nobody waits for ever ---

  /** Lets everybody who does not wait end, one after the other, until nobody is left. */
  void letAllEnd() {
    while (letSomeEnd() || letOtherThreadsGiveBack()) {}
    boolean somebody = Arrays.stream(processes).anyMatch(p -> p != null);
    require(!somebody || model.surplusContextWaits(), "somebody waits for ever");
    coverage.ended(somebody);
  }

  private boolean letSomeEnd() {
    boolean progress = false;
    for (int slot = 0; slot < processes.length; slot++) {
      progress |= letEnd(slot);
    }
    List<Long> jobs = model.jobsWithoutProcesses();
    jobs.forEach(this::letJobEnd);
    story.next("time passes");
    pass(graceNs + 1);
    return progress || !jobs.isEmpty();
  }

  /** What a thread holds does not wait with another thread of its process. */
  private boolean letOtherThreadsGiveBack() {
    boolean progress = false;
    for (int slot = 0; slot < processes.length; slot++) {
      if (present(slot) && processes[slot].hasThreads && holdsAnything(slot)) {
        giveBackAll(slot);
        progress = true;
      }
    }
    return progress;
  }

  private boolean holdsAnything(int slot) {
    Client client = processes[slot].client;
    return IntStream.range(0, core.state().devices())
        .anyMatch(d -> client.inUse(d) > 0 || client.contexts(d) > 0);
  }

  /** A process ends when none of its threads waits; one that got what it wanted goes on. */
  private boolean letEnd(int slot) {
    if (!present(slot)) {
      return false;
    }
    boolean served = letGrantedGoOn(slot);
    boolean waits = !processes[slot].places.isEmpty();
    if (!waits) {
      story.next("process " + slot + " ends");
      remove(slot);
    }
    return served || !waits;
  }

  /** Threads with a grant take it, and then the process gives back all that it holds. */
  private boolean letGrantedGoOn(int slot) {
    List<Place> granted =
        processes[slot].places.stream().filter(place -> !model.waits(place.ticket)).toList();
    for (Place place : granted) {
      story.next("process " + slot + " takes what was granted");
      settle(processes[slot], place);
    }
    if (!granted.isEmpty()) {
      giveBackAll(slot);
    }
    return !granted.isEmpty();
  }

  private void giveBackAll(int slot) {
    for (int d = 0; d < core.state().devices(); d++) {
      story.next("process " + slot + " gives back all on device " + d);
      giveBack(slot, d, Optional.empty());
      if (processes[slot].client.contexts(d) > 0) {
        story.next("process " + slot + " leaves its context on device " + d);
        leaveContext(slot, d);
      }
    }
  }

  private void letJobEnd(long job) {
    story.next("job " + job + " ends");
    end(job);
  }
}
