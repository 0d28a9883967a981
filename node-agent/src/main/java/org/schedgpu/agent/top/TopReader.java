package org.schedgpu.agent.top;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.schedgpu.agent.forecast.Estimate;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.top.TopReport.DeviceRow;
import org.schedgpu.agent.top.TopReport.JobRow;
import org.schedgpu.agent.top.TopReport.LaneRow;
import org.schedgpu.agent.top.TopReport.Others;
import org.schedgpu.agent.top.TopReport.WaiterRow;

/** Reads what {@link TopJson} wrote, which is an agent's answer. */
final class TopReader {
  private final Map<?, ?> json;

  TopReader(Map<?, ?> json) {
    this.json = json;
  }

  TopReport report(String clock) {
    TopReader others = new TopReader(value("others", Map.class));
    return new TopReport(
        text("node"),
        clock,
        optional("policy").orElse(""),
        each("devices", TopReader::device),
        each("jobs", TopReader::job),
        each("waiters", TopReader::waiter),
        json.containsKey("lanes") ? each("lanes", TopReader::lane) : List.of(),
        new Others(others.integer("jobs"), others.number("heldBytes"), others.integer("waiting")),
        optional("problem").orElse(""));
  }

  private DeviceRow device() {
    return new DeviceRow(
        integer("index"),
        text("uuid"),
        text("name"),
        value("emulated", Boolean.class),
        number("inUseBytes"),
        number("idleBytes"),
        number("otherBytes"),
        number("freeBytes"),
        number("usableBytes"),
        optionalNumber("nvmlUsedBytes"),
        percent(),
        integer("jobs"),
        integer("waiting"));
  }

  private OptionalInt percent() {
    OptionalLong percent = optionalNumber("utilisationPercent");
    return percent.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of(Math.toIntExact(percent.getAsLong()));
  }

  private JobRow job() {
    return new JobRow(
        text("job"),
        (int) number("uid"),
        text("user"),
        text("name"),
        integer("priority"),
        text("mode"),
        text("state"),
        devices(),
        number("heldBytes"),
        number("inUseBytes"),
        optionalNumber("peakBytes"),
        number("runningNs"),
        optionalNumber("share"),
        unscheduled());
  }

  private WaiterRow waiter() {
    return new WaiterRow(
        text("job"),
        (int) number("uid"),
        text("user"),
        text("name"),
        integer("priority"),
        integer("device"),
        devices(),
        text("for"),
        integer("place"),
        number("bytes"),
        number("waitedNs"),
        text("why"),
        new Estimate(
            optionalNumber("servedEarliestNs"),
            optionalNumber("servedLatestNs"),
            optional("unknown"),
            optionalNumber("givesUpNs")));
  }

  private LaneRow lane() {
    return new LaneRow(
        integer("lane"),
        integer("device"),
        text("policy"),
        number("bytes"),
        number("jobs"),
        number("waiting"),
        number("switches"),
        optional("turnOf"),
        optionalNumber("turnNs").orElse(0));
  }

  private Set<Integer> devices() {
    Set<Integer> devices = new TreeSet<>();
    for (Object device : value("devices", List.class)) {
      devices.add(is(device, Number.class, "devices").intValue());
    }
    return devices;
  }

  /** An agent of before had none. */
  private List<String> unscheduled() {
    List<?> all = json.containsKey("unscheduled") ? value("unscheduled", List.class) : List.of();
    return all.stream().map(one -> is(one, String.class, "unscheduled")).toList();
  }

  private <T> List<T> each(String name, Function<TopReader, T> row) {
    List<?> rows = value(name, List.class);
    return rows.stream().map(one -> row.apply(new TopReader(is(one, Map.class, name)))).toList();
  }

  private String text(String name) {
    return value(name, String.class);
  }

  private Optional<String> optional(String name) {
    return json.get(name) == null ? Optional.empty() : Optional.of(text(name));
  }

  private long number(String name) {
    return value(name, Number.class).longValue();
  }

  private int integer(String name) {
    return value(name, Number.class).intValue();
  }

  private OptionalLong optionalNumber(String name) {
    return json.get(name) == null ? OptionalLong.empty() : OptionalLong.of(number(name));
  }

  private <T> T value(String name, Class<T> type) {
    return is(json.get(name), type, name);
  }

  private static <T> T is(Object value, Class<T> type, String name) {
    if (!type.isInstance(value)) {
      throw new AgentException(
          "the agent: '%s' of its answer is %s: install agent and command of one version"
              .formatted(name, value));
    }
    return type.cast(value);
  }
}
