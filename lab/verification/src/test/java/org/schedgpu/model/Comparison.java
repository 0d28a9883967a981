package org.schedgpu.model;

import java.util.HashSet;
import java.util.Set;
import org.schedgpu.jna.CoreLibrary;

/** Compares everything that can be seen of the states of model and core. */
final class Comparison {
  private final Model model;
  private final ClientPair[] processes;
  private final Coverage coverage;
  private final JobStatisticsComparison statistics;
  private final Set<Long> waitedBefore = new HashSet<>();

  Comparison(Model model, ClientPair[] processes, Coverage coverage) {
    this.model = model;
    this.processes = processes;
    this.coverage = coverage;
    statistics = new JobStatisticsComparison(model);
  }

  /** After a transition. */
  void compare(CoreState core, long nowNs) {
    coverage.overflow(model.someOverflow());
    compareWaiters(core);
    compareJobs(core);
    statistics.compare(core, nowNs);
    compareDevices(core);
    compareClients(core);
  }

  static void same(String what, long id, long inModel, long inCore) {
    if (inModel != inCore) {
      throw new Difference(what + " " + id + ": " + inModel + " in the model, in C " + inCore);
    }
  }

  static void same(String what, long id, boolean inModel, boolean inCore) {
    if (inModel != inCore) {
      throw new Difference(what + " " + id + ": " + inModel + " in the model, in C " + inCore);
    }
  }

  static void same(String what, long inModel, long inCore) {
    if (inModel != inCore) {
      throw new Difference(what + ": " + inModel + " in the model, in C " + inCore);
    }
  }

  private void compareDevices(CoreState core) {
    for (int d = 0; d < core.devices(); d++) {
      long used = model.used(d);
      same("bytes used on device", d, used, core.used(d));
      same("bytes free on device", d, model.free(d), core.free(d));
      same("contexts on device", d, model.contexts(d), core.contexts(d));
      coverage.unreserved(used > model.usable(d));
      if (used - model.unreserved().bytes(d) > model.usable(d)) {
        throw new Difference("more is granted than there is on device " + d);
      }
    }
  }

  private void compareJobs(CoreState core) {
    same("number of jobs", model.jobs(), core.jobs());
    for (int i = 0; i < core.jobs(); i++) {
      long id = core.jobId(i);
      same("presence of job", id, model.hasJob(id), true);
      same("admission of job", id, model.admitted(id), core.admitted(i));
      same("held budget of job", id, model.holds(id), core.holds(i));
    }
  }

  private void compareWaiters(CoreState core) {
    same("number of requests", model.requests(), core.waiters());
    for (int i = 0; i < core.waiters(); i++) {
      long ticket = core.ticket(i);
      same("waiting of ticket", ticket, model.waits(ticket), !core.granted(i));
      same("grant of ticket", ticket, model.granted(ticket), core.granted(i));
      if (core.granted(i) && waitedBefore.contains(ticket)) {
        coverage.granted();
        same("wake-up of ticket", ticket, true, core.woke(ticket));
      }
    }
    rememberWaiting(core);
  }

  private void rememberWaiting(CoreState core) {
    waitedBefore.clear();
    for (int i = 0; i < core.waiters(); i++) {
      if (!core.granted(i)) {
        waitedBefore.add(core.ticket(i));
      }
    }
  }

  private void compareClients(CoreState core) {
    int present = 0;
    for (ClientPair process : processes) {
      present += process == null ? 0 : 1;
    }
    same("number of processes", present, core.clients());
    for (int i = 0; i < core.clients(); i++) {
      compareClient(core, i, inSlot(core.slot(i)));
    }
  }

  private static void compareClient(CoreState core, int i, Client client) {
    long slot = core.slot(i);
    same("job of slot", slot, client.jobIdOr(CoreLibrary.NO_JOB), core.jobOfClient(i));
    for (int d = 0; d < core.devices(); d++) {
      same("bytes in use by slot", slot, client.inUse(d), core.inUse(i, d));
      same("contexts of slot", slot, client.contexts(d), core.contextsOfClient(i, d));
    }
  }

  private Client inSlot(int slot) {
    for (ClientPair process : processes) {
      if (process != null && process.slot == slot) {
        return process.client;
      }
    }
    throw new Difference("only C has a process in slot " + slot);
  }
}
