package org.schedgpu.agent.region;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.JobLane;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Job;
import org.schedgpu.jna.RegionSnapshot.Lane;
import org.schedgpu.jna.RegionSnapshot.Turn;

/** The lanes of a snapshot and their turns, in the words of the commands. */
public final class Lanes {
  /** Stands for the job of another user. */
  public static final String OTHERS = "others";

  private final RegionSnapshot snapshot;
  private final long nowNs;
  private final Map<Integer, Integer> jobs = new HashMap<>(); // by record of a process
  private final Map<Integer, Lane> turns = new HashMap<>(); // by record of the job that has it
  private final Map<Integer, Turn> waits = new HashMap<>(); // the oldest one of a job, by record

  /**
   * A lane as it is shown.
   *
   * @param turnOf the job that has the turn, or {@link #OTHERS}; empty: nobody has it
   * @param turnNs how long that job has had it; 0 if nobody has it
   * @param keptNs as {@link Lane#keptNs}
   */
  public record LaneStatus(Lane lane, Optional<String> turnOf, long turnNs, long keptNs) {
    /** Why nobody else gets the turn, if its job keeps too much; empty: that is not so. */
    public Optional<String> kept() {
      String job = turnOf.filter(of -> !of.equals(OTHERS)).orElse("A job of another user");
      return keptNs == 0
          ? Optional.empty()
          : Optional.of(
              job
                  + " keeps more memory between iterations than is free, so the turn of lane "
                  + lane.record()
                  + " has been idle for "
                  + Texts.duration(keptNs)
                  + " while others wait");
    }

    /** The keys are those of the man page. */
    public Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("lane", lane.record());
      json.put("device", lane.device());
      json.put("policy", lane.policy().text());
      json.put("bytes", lane.bytes());
      json.put("jobs", lane.members());
      json.put("waiting", lane.waiting());
      json.put("switches", lane.switches());
      json.put("turnOf", turnOf.orElse(null));
      json.put("busy", lane.busy());
      json.put("turnNs", turnOf.isPresent() ? turnNs : null);
      json.put("keptNs", keptNs == 0 ? null : keptNs);
      return json;
    }
  }

  /** What a lane job does: it has the turn, waits for it, or neither. */
  public enum TurnState {
    HAS("has"),
    WAITS("waits"),
    NONE("none");

    private final String text;

    TurnState(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /**
   * A lane job as it is shown.
   *
   * @param turnNs how long it has had the turn, or has waited for it
   * @param use how it has used its lane, the present turn or wait included
   */
  public record Member(JobLane lane, TurnState turn, long turnNs, LaneUse use) {
    /** The keys are those of the man page. */
    public Map<String, Object> json() {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("policy", lane.policy().text());
      json.put("lane", lane.record().orElse(null));
      json.put("persistentBytes", lane.persistentBytes());
      json.put("lengthNs", lane.lengthNs() == 0 ? null : lane.lengthNs());
      json.put("turn", turn.text());
      json.put("turnNs", turn == TurnState.NONE ? null : turnNs);
      putUse(json, use);
      return json;
    }
  }

  /** Adds the keys of the man page. */
  public static void putUse(Map<String, Object> json, LaneUse use) {
    json.put("share", use.share() == 0 ? null : use.share());
    json.put("turns", use.turns());
    json.put("serviceNs", use.serviceNs().isPresent() ? use.serviceNs().getAsLong() : null);
    json.put("switches", use.switches());
    json.put("turnWaitedNs", use.waitedNs());
    json.put("keptBytes", use.keptBytes());
  }

  /**
   * Of a snapshot.
   *
   * @param nowNs as {@link RegionSnapshot#nowNs()}
   */
  public Lanes(RegionSnapshot snapshot, long nowNs) {
    this.snapshot = snapshot;
    this.nowNs = nowNs;
    if (!snapshot.lanes().isEmpty()) {
      for (Client client : snapshot.clients()) {
        client.job().ifPresent(job -> jobs.put(client.record(), job));
      }
    }
    for (Lane lane : snapshot.lanes()) {
      lane.holder().map(jobs::get).ifPresent(job -> turns.put(job, lane));
    }
    for (Turn turn : snapshot.turns()) { // oldest first
      if (!turn.granted()) {
        waits.putIfAbsent(turn.job(), turn);
      }
    }
  }

  /**
   * All lanes, by record.
   *
   * @param maySee true if the jobs of a user may be named
   */
  public List<LaneStatus> all(IntPredicate maySee) {
    return snapshot.lanes().stream().map(lane -> status(lane, maySee)).toList();
  }

  private LaneStatus status(Lane lane, IntPredicate maySee) {
    Optional<String> turnOf =
        holder(lane).map(job -> maySee.test(job.uid()) ? job.reference() : OTHERS);
    long turnNs = turnOf.isPresent() ? since(lane.sinceNs()) : 0;
    return new LaneStatus(lane, turnOf, turnNs, turnOf.isPresent() ? lane.keptNs(nowNs) : 0);
  }

  private Optional<Job> holder(Lane lane) {
    return lane.holder().map(jobs::get).flatMap(snapshot::job);
  }

  private long since(long ns) {
    return Math.max(0, nowNs - ns);
  }

  /** The part of a job in its lane; empty for a job that has none. */
  public Optional<Member> of(Job job) {
    return job.lane().map(lane -> member(job, lane));
  }

  private Member member(Job job, JobLane lane) {
    Lane held = turns.get(job.record());
    if (held != null) {
      LaneUse use = longer(lane.use(), held.servedNs(nowNs), 0);
      return new Member(lane, TurnState.HAS, since(held.sinceNs()), use);
    }
    Turn wait = waits.get(job.record());
    if (wait != null) {
      long waited = since(wait.sinceNs());
      return new Member(lane, TurnState.WAITS, waited, longer(lane.use(), 0, waited));
    }
    return new Member(lane, TurnState.NONE, 0, lane.use());
  }

  private static LaneUse longer(LaneUse use, long servedNs, long waitedNs) {
    return new LaneUse(
        use.policy(),
        use.share(),
        use.turns(),
        use.switches(),
        use.serviceNs().orElse(0) + servedNs,
        use.waitedNs() + waitedNs,
        use.keptBytes());
  }
}
