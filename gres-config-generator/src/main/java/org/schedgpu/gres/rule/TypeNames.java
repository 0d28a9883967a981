package org.schedgpu.gres.rule;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.facts.Device;

/**
 * Determines Slurm's Type of a device, from its name or from the administrator's options. Not
 * thread-safe.
 */
public final class TypeNames {
  private final Map<String, String> keyByName = new HashMap<>();
  private final String forAll;
  private final Map<String, String> byName;
  private final Set<String> unused;

  private TypeNames(String forAll, Map<String, String> byName) {
    this.forAll = forAll;
    this.byName = byName;
    this.unused = new TreeSet<>(byName.keySet());
  }

  /**
   * Reads values of {@code --type}: {@code TYPE} for all devices, or {@code NAME=TYPE} for those of
   * one name. An empty TYPE means none.
   *
   * @throws GresException if a type is not valid, or two are given for the same devices
   */
  public static TypeNames of(List<String> words) {
    List<String> all = new ArrayList<>();
    Map<String, String> byName = new LinkedHashMap<>();
    for (String word : words) {
      int at = word.indexOf('=');
      Check.gresTypeOrNone(word.substring(at + 1));
      if (at < 0) {
        all.add(word);
      } else if (byName.put(key(word.substring(0, at)), word.substring(at + 1)) != null) {
        throw new GresException(
            "--type " + Check.quoted(word) + " is the second for this name", "keep one of them");
      }
    }
    if (all.size() > 1 || (all.size() == 1 && !byName.isEmpty())) {
      throw new GresException(
          "--type %s is for all devices, and there are others".formatted(all.get(0)),
          "give one --type TYPE, or only --type NAME=TYPE");
    }
    return new TypeNames(all.isEmpty() ? null : all.get(0), byName);
  }

  /**
   * The type from the options, else the current type of the device, else one made from its name:
   * Tesla K20m becomes tesla_k20m.
   *
   * @throws GresException if it is a new one, and Slurm might take it for a count
   */
  public String of(Device device, Optional<String> now) {
    String type = chosen(device, now);
    return type.isEmpty() || now.filter(type::equals).isPresent() ? type : Check.newGresType(type);
  }

  private String chosen(Device device, Optional<String> now) {
    if (forAll != null) {
      return forAll;
    }
    String key = keyByName.computeIfAbsent(device.name(), TypeNames::key);
    unused.remove(key);
    return Optional.ofNullable(byName.get(key)).or(() -> now).orElse(key);
  }

  /**
   * @throws GresException if an option names a device that does not exist
   */
  void requireAllUsed() {
    if (!unused.isEmpty()) {
      throw new GresException(
          "--type names '%s', which is the name of no device".formatted(unused.iterator().next()),
          "use the name in the facts, such as 'Tesla K20m' or tesla_k20m");
    }
  }

  /** Normalizes a name, so that it can be given as nvidia-smi or as Slurm shows it. */
  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.-]+", "_");
  }
}
