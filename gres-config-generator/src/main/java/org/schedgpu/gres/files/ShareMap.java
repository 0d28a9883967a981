package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;

/** The devices of nodes and the shares on them, as devices.conf says. Immutable. */
public record ShareMap(Path file, List<Entry> entries) {
  private static final Pattern WORD = Pattern.compile("([A-Za-z]+)=(\"[^\"]*\"|\\S+)");
  private static final Pattern LIST =
      Pattern.compile("\\d{1,5}(-\\d{1,5})?(,\\d{1,5}(-\\d{1,5})?)*");

  /** Copies the list. */
  public ShareMap {
    entries = List.copyOf(entries);
  }

  /**
   * A device of a node.
   *
   * @param device its index, as NVML counts
   * @param shares the indexes of its virtual GPUs, as in SLURM_JOB_GPUS
   */
  public record Entry(String node, String device, String uuid, String file, List<Integer> shares) {
    /** Copies the list. */
    public Entry {
      shares = List.copyOf(shares);
    }
  }

  /**
   * Reads a devices.conf; without the file there are no entries.
   *
   * @throws GresException if it cannot be read
   */
  public static ShareMap read(Path file) {
    List<Entry> entries = new ArrayList<>();
    try {
      if (Files.exists(file)) {
        Files.readString(file, StandardCharsets.ISO_8859_1)
            .lines()
            .flatMap(line -> entry(line).stream())
            .forEach(entries::add);
      }
    } catch (IOException e) {
      throw new GresException(
          file + " cannot be read (" + IoReason.of(e) + ")", "make it readable", e);
    } catch (GresException e) {
      throw e.in(file.toString());
    }
    return new ShareMap(file, entries);
  }

  private static Optional<Entry> entry(String line) {
    Map<String, String> words = new LinkedHashMap<>();
    Matcher word = WORD.matcher(line.startsWith("#") ? "" : line);
    while (word.find()) {
      words.putIfAbsent(word.group(1), word.group(2));
    }
    return words.keySet().containsAll(List.of("NodeName", "UUID", "File", "Virtual"))
        ? Optional.of(
            new Entry(
                words.get("NodeName"),
                words.getOrDefault("Device", "-"),
                words.get("UUID"),
                words.get("File"),
                shares("Virtual=", words.get("Virtual"))))
        : Optional.empty();
  }

  /**
   * Parses a list of shares, {@code 0-2,5}.
   *
   * @param place what the list is, for the message
   * @throws GresException if it is no list of indexes
   */
  public static List<Integer> shares(String place, String list) {
    if (!LIST.matcher(list).matches()) {
      throw new GresException(
          place + Check.quoted(list) + " is no list of numbers", "write it as 0-2,5");
    }
    return Stream.of(list.split(",", -1))
        .flatMap(
            range -> {
              String[] ends = range.split("-", -1);
              return IntStream.rangeClosed(
                      Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]))
                  .boxed();
            })
        .toList();
  }

  /** The devices of a node, in the order of the file. */
  public List<Entry> of(String node) {
    return entries.stream().filter(entry -> entry.node().equals(node)).toList();
  }
}
