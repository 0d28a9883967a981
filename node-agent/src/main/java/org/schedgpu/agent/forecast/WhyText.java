package org.schedgpu.agent.forecast;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.schedgpu.agent.region.Shares;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Forecast.Reason;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Request;
import org.schedgpu.jna.RegionSnapshot.Waiter;

/** Why a request waits, in words. The rule is the core's (docs/reference/rules.md). */
public final class WhyText {
  private final RegionSnapshot snapshot;
  private final Shares shares;
  private final Function<Job, String> name;
  private final Map<Integer, List<Holder>> holders = new HashMap<>();

  /** A job that holds memory of a device. */
  private record Holder(Job job, long bytes) {}

  /**
   * @param shares of the snapshot
   * @param name how a job is called: those of others may not be named
   */
  WhyText(RegionSnapshot snapshot, Shares shares, Function<Job, String> name) {
    this.snapshot = snapshot;
    this.shares = shares;
    this.name = name;
  }

  /** Of one that is not granted. */
  String of(Waiter waiter, Optional<Reason> reason) {
    return reason.map(why -> words(waiter, why)).orElse("");
  }

  private String words(Waiter waiter, Reason reason) {
    return switch (reason.why()) {
      case NEXT -> "is next";
      case MEMORY -> lacks(waiter, reason.device());
      case NOT_ADMITTED ->
          "not admitted: contexts and the largest budget do not fit" + behind(waiter, reason);
      case CONTEXT -> "one more context does not fit" + behind(waiter, reason);
      case UNSAFE -> "fits, but could lead to a deadlock" + behind(waiter, reason);
      case OLDER -> "fits, but " + other(reason) + " is older";
      case PRIORITY -> "fits, but " + other(reason) + " has a higher priority";
      case SMALLER -> "fits, but " + other(reason) + " is smaller";
      case KEPT -> "fits, but memory is kept for " + other(reason) + ", overtaken too often";
      case GONE -> "";
    };
  }

  private String lacks(Waiter waiter, int device) {
    String where = waiter.devices().size() > 1 ? " on device " + device : "";
    return "needs "
        + Texts.gib(asksBytes(snapshot, waiter, device))
        + " GiB, "
        + Texts.gib(free(device))
        + " free"
        + where
        + holders(waiter, device);
  }

  private String behind(Waiter waiter, Reason reason) {
    return holders(waiter, reason.device());
  }

  /** Who holds most there, and how many more hold some. */
  private String holders(Waiter waiter, int device) {
    List<Holder> others =
        holders.computeIfAbsent(device, this::holdersOf).stream()
            .filter(holder -> holder.job().record() != waiter.job())
            .toList();
    if (others.isEmpty()) {
      return "";
    }
    Holder most = others.get(0);
    String more = others.size() == 1 ? "" : " and " + (others.size() - 1) + " more";
    String stopped = shares.isStopped(most.job()) ? "stopped, " : "";
    return "; behind %s (%sholds %s)%s"
        .formatted(name.apply(most.job()), stopped, Texts.gib(most.bytes()), more);
  }

  /** Most first. */
  private List<Holder> holdersOf(int device) {
    return snapshot.jobs().stream()
        .map(job -> new Holder(job, shares.of(job, device).takenBytes()))
        .filter(holder -> holder.bytes() > 0)
        .sorted(Comparator.comparingLong(Holder::bytes).reversed())
        .toList();
  }

  private String other(Reason reason) {
    return snapshot.waiters().stream()
        .filter(waiter -> reason.ticket().isPresent())
        .filter(waiter -> waiter.ticket() == reason.ticket().getAsLong())
        .findFirst()
        .flatMap(waiter -> snapshot.job(waiter.job()))
        .map(job -> name.apply(job) + (shares.isStopped(job) ? " (stopped)" : ""))
        .orElse("another request");
  }

  /** What it must get there: of whole budgets the budget. */
  public static long asksBytes(RegionSnapshot snapshot, Waiter waiter, int device) {
    return waiter.request() == Request.PEAK
        ? snapshot
            .job(waiter.job())
            .map(job -> job.budgetBytes().getOrDefault(device, waiter.bytes()))
            .orElse(waiter.bytes())
        : waiter.bytes();
  }

  /** What it waits for, in a word. */
  public static String subject(Waiter waiter, Job job) {
    return switch (waiter.request()) {
      case PEAK -> job.mode() == Mode.GATE ? "gate" : "budget";
      case ONDEMAND -> "memory";
      case CONTEXT -> "context";
    };
  }

  private long free(int device) {
    return snapshot.devices().stream()
        .filter(d -> d.index() == device)
        .mapToLong(WhyText::free)
        .findFirst()
        .orElse(0);
  }

  /** Bytes of a device that nobody has. */
  public static long free(Device device) {
    return Math.max(0, device.usableBytes() - device.usedBytes());
  }
}
