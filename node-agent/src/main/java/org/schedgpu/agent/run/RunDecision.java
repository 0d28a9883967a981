package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.Units;

/**
 * The job of {@code schedgpu run}: what was asked for, within what the site and the devices allow.
 */
final class RunDecision {
  private final RunWish wish;
  private final Conf conf;
  private final Function<String, OptionalLong> known;
  private final Function<String, ? extends RuntimeException> wrong;
  private int wantedPriority;
  private OptionalLong learned = OptionalLong.empty();

  /**
   * @param known the budget that earlier runs of this user's jobs of a name needed
   * @param wrong what is thrown where the wish cannot be had, with the reason
   */
  RunDecision(
      RunWish wish,
      Conf conf,
      Function<String, OptionalLong> known,
      Function<String, ? extends RuntimeException> wrong) {
    this.wish = wish;
    this.conf = conf;
    this.known = known;
    this.wrong = wrong;
  }

  /** The text of what is wrong with an option. */
  static String isNot(String option, String value, String allowed) {
    return option + " " + value + " is not " + allowed;
  }

  private RuntimeException wrong(String option, String value, String allowed) {
    return wrong.apply(isNot(option, value, allowed));
  }

  /** The priority before it was lowered; of a decision that was made. */
  int wantedPriority() {
    return wantedPriority;
  }

  /** Whether the budget is what earlier runs needed; of a decision that was made. */
  boolean isLearned() {
    return learned.isPresent();
  }

  /** The job of this process, on a node with these devices. */
  JobSpec of(List<Device> there) {
    SortedMap<Integer, Long> budgets = new TreeMap<>();
    String name = Optional.ofNullable(wish.command().getFileName()).map(Path::toString).orElse("");
    learned = learnedBytes(name);
    for (int index : wish.devices()) {
      Device device =
          there.stream()
              .filter(candidate -> candidate.index() == index)
              .findFirst()
              .orElseThrow(() -> wrong("--device", Integer.toString(index), indexes(there)));
      budgets.put(index, learned.isPresent() ? learnedBudget(device) : budget(device));
    }
    int uid = Posix.effectiveUid();
    Mode decided = mode(budgets);
    return new JobSpec(
        JobKind.RUN,
        ProcessHandle.current().pid(),
        uid,
        priority(uid),
        decided,
        wish.processes(),
        true,
        waitNs(),
        budgets,
        name,
        learned.isPresent() || overflowWaits(decided));
  }

  /**
   * As libschedgpu/conf/learned.c: not for a job that says what learning cannot serve. Such a
   * budget may be too small, so what is beyond it waits.
   */
  private OptionalLong learnedBytes(String name) {
    boolean serves =
        conf.learnsDefaultMem()
            && wish.mem().isEmpty()
            && wish.mode().orElse(Mode.PEAK) == Mode.PEAK
            && wish.overflowWaits().orElse(true)
            && !name.isEmpty();
    return serves ? known.apply(name) : OptionalLong.empty();
  }

  /** What was learned is a default: where it is more than may be had, it is less. */
  private long learnedBudget(Device device) {
    long gives = device.usableBytes() - contextBytes(device);
    if (gives <= 0) {
      throw wrong("DefaultMem", "learned", possible(device, 0));
    }
    long most = Math.min(conf.maxMemBytes(device.totalBytes()), gives);
    return Math.min(learned.getAsLong(), most);
  }

  private static String possible(Device device, long mostBytes) {
    return "possible on device %d: a job can have %s GiB"
        .formatted(device.index(), Texts.gib(mostBytes));
  }

  /** The site's choice is for the jobs that it can be for. */
  private boolean overflowWaits(Mode decided) {
    if (wish.overflowWaits().isEmpty()) {
      return decided == Mode.PEAK && conf.overflowWaits();
    }
    boolean waits = wish.overflowWaits().get();
    if (waits && decided != Mode.PEAK) {
      throw wrong.apply("--overflow wait is for mode peak only, this is " + decided.text());
    }
    return waits;
  }

  private static String indexes(List<Device> there) {
    return "a device of this node: it has "
        + String.join(", ", there.stream().map(d -> Integer.toString(d.index())).toList());
  }

  /**
   * As the prolog decides it: a percentage is of the device's total and is capped to what the
   * device gives, a size that is too large is refused.
   */
  private long budget(Device device) {
    long contexts = contextBytes(device);
    String wanted = wish.mem().or(conf::defaultMem).orElse(null);
    if (wanted == null) {
      return 0;
    }
    OptionalLong bytes = Units.bytes(wanted, device.totalBytes());
    if (bytes.isEmpty() || bytes.getAsLong() == 0) {
      throw wrong("--mem", wanted, "a size: write 6G, 512M or 40%");
    }
    boolean percentage = wanted.endsWith("%");
    long gives = device.usableBytes() - contexts;
    long allowed = conf.maxMemBytes(device.totalBytes());
    boolean beyondSite = bytes.getAsLong() > allowed && (percentage || allowed < gives);
    boolean beyondDevice = gives == 0 || (bytes.getAsLong() > gives && !percentage);
    if (beyondSite || beyondDevice) {
      throw wrong("--mem", wanted, possible(device, Math.min(allowed, gives)));
    }
    return Math.min(bytes.getAsLong(), gives);
  }

  /** What the CUDA contexts of the job's processes take. */
  private long contextBytes(Device device) {
    int processes = wish.processes();
    long fit =
        device.contextBytes() == 0 ? processes : device.usableBytes() / device.contextBytes();
    if (processes > 1 && processes > fit) {
      throw wrong(
          "--processes",
          Integer.toString(processes),
          "possible on device " + device.index() + ": it has room for " + fit + " CUDA contexts");
    }
    return Math.min(processes, fit) * device.contextBytes();
  }

  private Mode mode(Map<Integer, Long> budgets) {
    boolean budget = budgets.values().stream().allMatch(bytes -> bytes > 0);
    Mode wanted = wish.mode().orElse(budget ? Mode.PEAK : Mode.ONDEMAND);
    if (wanted != Mode.ONDEMAND && !budget) {
      throw wrong.apply("--mode " + wanted.text() + " needs a budget: give --mem");
    }
    return wanted;
  }

  private int priority(int uid) {
    if (wish.priority().isEmpty()) {
      return conf.defaultPriority();
    }
    String priority = wish.priority().get();
    OptionalInt wanted = Units.priority(priority);
    int value =
        wanted.orElseThrow(() -> wrong("--priority", priority, "low, normal, high or 0 to 100"));
    int most = conf.maxPriority();
    boolean lowered = value > most && !conf.mayExceedMaxPriority(uid, userName(uid));
    wantedPriority = value;
    return lowered ? most : value;
  }

  private static String userName(int uid) {
    return Posix.userName(uid).orElse("");
  }

  private long waitNs() {
    return wish.waitTime().map(this::timeNs).orElseGet(conf::waitNs);
  }

  private long timeNs(String wait) {
    return Units.timeNs(wait).orElseThrow(() -> wrong("--wait", wait, "a time: 30s, 5m, forever"));
  }
}
