package org.schedgpu.agent.conf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.DeviceSpec;

/**
 * devices.conf: the devices of one node. As strict as the hooks, which read it by themselves
 * (libschedgpu/conf/conf_devices.c): lines of other nodes are looked at one by one, those of this
 * node together.
 */
public final class DevicesConf {
  /** One line about a device of this node. */
  private record Entry(DeviceSpec device, Set<Integer> virtual) {}

  private final ConfLines lines;
  private final String node;
  private final List<Entry> entries = new ArrayList<>();
  private Set<Integer> notOurs = Set.of();

  private DevicesConf(String place, String node) {
    this.lines = new ConfLines(place);
    this.node = node;
  }

  /** The devices of {@code node}, by index; none if the file does not name the node. */
  public static List<DeviceSpec> read(Path file, String node) {
    return parse(file.toString(), Texts.lines(file), node);
  }

  static List<DeviceSpec> parse(String place, List<String> text, String node) {
    DevicesConf conf = new DevicesConf(place, node);
    conf.lines.read(text).forEach(conf::read);
    conf.checkNotOurs();
    conf.lines.check();
    return conf.entries.stream()
        .map(Entry::device)
        .sorted(Comparator.comparingInt(DeviceSpec::index))
        .toList();
  }

  private void read(ConfLines.Line line) {
    Map<DeviceKey, String> values = new EnumMap<>(DeviceKey.class);
    boolean right = true;
    for (ConfLines.Pair pair : line.pairs()) {
      right &= put(line.number(), pair, values);
    }
    right &= isComplete(line.number(), values);
    if (!right || !node.equals(values.get(DeviceKey.NODE_NAME))) {
      return;
    }
    if (values.containsKey(DeviceKey.NOT_OURS)) {
      addNotOurs(line.number(), values);
    } else {
      add(line.number(), values);
    }
  }

  private boolean put(int number, ConfLines.Pair pair, Map<DeviceKey, String> values) {
    Optional<DeviceKey> found = DeviceKey.of(pair.key());
    if (found.isEmpty()) {
      lines.unknownKey(number, pair.key(), DeviceKey.texts());
      return false;
    }
    DeviceKey key = found.get();
    boolean right = key.isRight(pair.value());
    if (!right) {
      lines.problem(number, key.text() + "=" + pair.value() + ": must be " + key.allowed());
    }
    if (values.put(key, pair.value()) != null) {
      lines.problem(number, key.text() + " is there twice: keep one");
      return false;
    }
    return right;
  }

  private boolean isComplete(int number, Map<DeviceKey, String> values) {
    if (values.containsKey(DeviceKey.NOT_OURS)) {
      return standsAlone(number, values);
    }
    Set<DeviceKey> missing = EnumSet.allOf(DeviceKey.class);
    missing.removeIf(key -> key.isOptional() || values.containsKey(key));
    missing.forEach(
        key ->
            lines.problem(
                number, key.text() + " is missing: write the file with schedgpu gres plan"));
    return missing.isEmpty();
  }

  private boolean standsAlone(int number, Map<DeviceKey, String> values) {
    if (values.keySet().equals(EnumSet.of(DeviceKey.NODE_NAME, DeviceKey.NOT_OURS))) {
      return true;
    }
    lines.problem(number, "NotOurs stands beside NodeName only: give it a line of its own");
    return false;
  }

  private void addNotOurs(int number, Map<DeviceKey, String> values) {
    if (!notOurs.isEmpty()) {
      lines.problem(number, "NotOurs of this node is there twice: keep one");
    }
    notOurs = indexes(values, DeviceKey.NOT_OURS);
  }

  private void add(int number, Map<DeviceKey, String> values) {
    Entry added = new Entry(device(values), indexes(values, DeviceKey.VIRTUAL));
    checkMemory(number, added.device());
    for (Entry other : entries) {
      checkBoth(number, added, other);
    }
    entries.add(added);
  }

  private void checkMemory(int number, DeviceSpec device) {
    long left = device.totalBytes() - device.reservedBytes();
    if (left < 0 || device.contextBytes() > left) {
      lines.problem(
          number,
          "Device=" + device.index() + ": ReservedBytes and ContextBytes are more than TotalBytes");
    }
  }

  /** A device, a UUID or a virtual GPU belongs to one line only. */
  private void checkBoth(int number, Entry added, Entry other) {
    if (added.device().index() == other.device().index()) {
      lines.problem(number, "Device=" + added.device().index() + " of this node is there twice");
    }
    if (added.device().uuid().equals(other.device().uuid())) {
      lines.problem(number, "UUID=" + added.device().uuid() + " is there twice");
    }
    common(added.virtual(), other.virtual())
        .ifPresent(
            index ->
                lines.problem(
                    number,
                    "virtual GPU %d is of device %d already"
                        .formatted(index, other.device().index())));
  }

  private static Optional<Integer> common(Set<Integer> some, Set<Integer> others) {
    Set<Integer> both = new HashSet<>(some);
    both.retainAll(others);
    return both.stream().min(Comparator.naturalOrder());
  }

  /** A virtual GPU is ours or not. */
  private void checkNotOurs() {
    for (Entry entry : entries) {
      common(entry.virtual(), notOurs)
          .ifPresent(
              index ->
                  lines.problem(
                      "virtual GPU %d is of device %d, and NotOurs"
                          .formatted(index, entry.device().index())));
    }
  }

  private static Set<Integer> indexes(Map<DeviceKey, String> values, DeviceKey key) {
    return IndexList.of(values.get(key)).orElseThrow();
  }

  private static DeviceSpec device(Map<DeviceKey, String> values) {
    return new DeviceSpec(
        Integer.parseInt(values.get(DeviceKey.DEVICE)),
        Long.parseLong(values.get(DeviceKey.TOTAL_BYTES)),
        Long.parseLong(values.get(DeviceKey.RESERVED_BYTES)),
        Long.parseLong(values.get(DeviceKey.CONTEXT_BYTES)),
        values.get(DeviceKey.UUID),
        values.getOrDefault(DeviceKey.NAME, ""));
  }
}
