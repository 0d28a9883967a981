package org.schedgpu.model;

/**
 * Checks a new request and answers it, if that is possible at once (docs/reference/rules.md,
 * "Asking").
 */
final class Requests {
  private final Node node;
  private final long nowNs;

  Requests(Node node, long nowNs) {
    this.node = node;
    this.nowNs = nowNs;
  }

  /**
   * The answer. {@link Answer#EWOULDBLOCK} for a request that was queued leaves the request among
   * the waiters.
   */
  Answer ask(Waiter waiter, boolean mayWait) {
    Answer never = checkPossible(waiter);
    if (never != Answer.OK) {
      return never;
    }
    if (asksAlready(waiter.client) && !isCoveredContext(waiter)) {
      return Answer.EBUSY;
    }
    boolean held = waiter.needsBudget() && waiter.job.admitted && waiter.job.holds;
    if (held && (!waiter.isOverflow() || Sums.of(node).lacks(waiter) == 0)) {
      return takeHeld(waiter, mayWait);
    }
    if (waiter.job.isLaneJob() && waiter.job.holds && waiter.job.admitted) {
      return contextOfMember(waiter, mayWait);
    }
    admitIfAlone(waiter);
    return atOnce(waiter) ? takeAtOnce(waiter, mayWait) : queue(waiter, mayWait);
  }

  /** A turn may have passed on meanwhile. */
  private Answer takeHeld(Waiter waiter, boolean mayWait) {
    Answer answer = take(waiter, mayWait);
    if (waiter.job.isLaneJob()) {
      serve();
    }
    return answer;
  }

  /** A process has one request at a time. */
  private boolean asksAlready(Client client) {
    return node.waiters.stream().anyMatch(other -> other.client == client);
  }

  private Answer takeAtOnce(Waiter waiter, boolean mayWait) {
    QueueService.reserve(node, waiter, nowNs);
    Answer answer = take(waiter, mayWait);
    serve();
    return answer;
  }

  /** True if the request could not be granted even if the job were alone on empty devices. */
  private Answer checkPossible(Waiter waiter) {
    Job job = waiter.job;
    for (int d : node.devicesOf(job)) {
      Device device = node.devices.get(d);
      if (job.admissionContexts(device) + job.committed(d, node.rule) > device.usableBytes()) {
        return Answer.ETOOBIG;
      }
    }
    return switch (waiter.kind) {
      case MEMORY -> checkMemory(waiter);
      case CONTEXT -> checkContext(waiter);
      case GATE -> Answer.OK;
    };
  }

  private Answer checkMemory(Waiter waiter) {
    Job job = waiter.job;
    int d = waiter.device;
    Device device = node.devices.get(d);
    Sums sums = Sums.of(node);
    long asked =
        job.reservesBudget() ? sums.inUse(job, d) : sums.memory(job, d) + sums.queued(job, d);
    boolean bounded = job.budget(d) > 0 && !job.overflowWaits();
    if (bounded && asked + waiter.bytes > job.ownBudget(d)) {
      return Answer.EBUDGET;
    }
    long contexts = Math.max(sums.contexts(job, d), job.admissionContexts(device));
    return contexts + waiter.bytes > device.usableBytes() ? Answer.ETOOBIG : Answer.OK;
  }

  /** Who holds a lane never waits for memory. */
  private Answer contextOfMember(Waiter waiter, boolean mayWait) {
    if (FitRules.now(node).fits(waiter)) {
      return takeAtOnce(waiter, mayWait);
    }
    return mayWait ? Answer.EDEADLOCK : Answer.EWOULDBLOCK;
  }

  private Answer checkContext(Waiter waiter) {
    long contexts = Sums.of(node).contextsOfProcesses(waiter.job, waiter.device);
    long needed = contexts + waiter.bytes + waiter.job.committed(waiter.device, node.rule);
    return needed > node.devices.get(waiter.device).usableBytes() ? Answer.ETOOBIG : Answer.OK;
  }

  private void admitIfAlone(Waiter waiter) {
    Job job = waiter.job;
    boolean alone =
        node.devicesOf(job).stream()
            .allMatch(d -> node.nobodyWaitsIn(new Queue(d, Queue.Type.CONTEXT)));
    FitRules fits = new FitRules(node, Sums.asking(node, waiter));
    job.admitted |= alone && fits.admissionFits(job);
  }

  private boolean atOnce(Waiter waiter) {
    if (!waiter.job.admitted) {
      return false;
    }
    if (isCoveredContext(waiter)) {
      return true;
    }
    FitRules fits = FitRules.now(node);
    Queue.Type type = Queue.Type.of(waiter);
    boolean first =
        node.devicesOf(waiter).stream().allMatch(d -> node.nobodyWaitsIn(new Queue(d, type)));
    return first && fits.fits(waiter);
  }

  private boolean isCoveredContext(Waiter waiter) {
    return waiter.job.admitted && waiter.isContext() && FitRules.now(node).covered(waiter);
  }

  private Answer queue(Waiter waiter, boolean mayWait) {
    boolean holds = !waiter.isContext() && waiter.client.usesMemory();
    if (holds) {
      serve();
    }
    waiter.ticket = ++node.ticket;
    node.waiters.add(waiter);
    if (holds && isEndless(waiter)) {
      return refuse(waiter, mayWait ? Answer.EDEADLOCK : Answer.EWOULDBLOCK);
    }
    serve();
    if (waiter.granted) {
      return settle(waiter);
    }
    if (!mayWait) {
      return refuse(waiter, Answer.EWOULDBLOCK);
    }
    if (isEndless(waiter)) {
      return refuse(waiter, Answer.EDEADLOCK);
    }
    waiter.beginWait(nowNs);
    return Answer.EWOULDBLOCK;
  }

  private boolean isEndless(Waiter waiter) {
    boolean mayHold = !waiter.isContext() && waiter.job.mayHoldAndWait();
    return mayHold && !new Deadlock(node).waitCanEnd(waiter);
  }

  /** Ends a wait: the process takes a granted request, or its request leaves the queue. */
  Answer settle(Waiter waiter) {
    if (waiter.waits()) {
      return leave(waiter, Answer.EWOULDBLOCK);
    }
    node.waiters.remove(waiter);
    Answer answer = take(waiter, true);
    serve();
    return answer;
  }

  /** Tickets count requests that wait or are served. */
  private Answer refuse(Waiter waiter, Answer answer) {
    leave(waiter, answer);
    node.ticket--;
    return answer;
  }

  private Answer leave(Waiter waiter, Answer answer) {
    waiter.endWait(nowNs);
    node.waiters.remove(waiter);
    serve();
    return answer;
  }

  private void serve() {
    new QueueService(node, nowNs).serve();
  }

  /**
   * The granted memory becomes the process's own, unless its siblings have used up the budget
   * meanwhile.
   */
  private Answer take(Waiter waiter, boolean mayWait) {
    if (waiter.isContext()) {
      waiter.client.contexts[waiter.device] += waiter.bytes;
      return Answer.OK;
    }
    if (waiter.needsBudget() && !waiter.job.overflowWaits() && isBeyondBudget(waiter)) {
      return Answer.EBUDGET;
    }
    if (needsTurn(waiter)) {
      Answer answer = new Turns(node, nowNs).ask(waiter.client, mayWait);
      if (answer != Answer.OK) {
        return answer;
      }
    }
    waiter.client.use(waiter.device, waiter.bytes);
    return Answer.OK;
  }

  /** It begins an iteration, or asks for more than the job may use without the turn. */
  private boolean needsTurn(Waiter waiter) {
    Job job = waiter.job;
    return job.isLaneJob()
        && (waiter.kind == RequestKind.GATE
            || Sums.of(node).inUse(job, waiter.device) + waiter.bytes > job.keptBytes());
  }

  private boolean isBeyondBudget(Waiter waiter) {
    int d = waiter.device;
    return Sums.of(node).inUse(waiter.job, d) + waiter.bytes > waiter.job.ownBudget(d);
  }
}
