package org.schedgpu.gres;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.schedgpu.gres.facts.Device;
import org.schedgpu.gres.facts.NodeFacts;

/**
 * A folder with the files of a cluster, and facts beside it; runs plan and apply as users type
 * them.
 */
public final class PlanFixture {
  static final String HEAD = "ClusterName=x\nSlurmctldHost=localhost\nGresTypes=gpu\n";

  public final Path folder;
  private final Path facts;

  public PlanFixture(Path temporary) {
    try {
      folder = Files.createDirectories(temporary.toRealPath().resolve("slurm"));
      facts = Files.createDirectories(temporary.resolve("facts"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public PlanFixture write(String name, String text) {
    try {
      Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** A slurm.conf with these lines after the common ones. */
  public PlanFixture slurmConf(String lines) {
    return write("slurm.conf", HEAD + lines);
  }

  /** Devices of {@link Fixtures} by their indexes. */
  public PlanFixture facts(String node, Integer... indexes) {
    List<Device> devices = Arrays.stream(indexes).map(Fixtures::device).toList();
    try {
      Files.writeString(facts.resolve(node + ".json"), new NodeFacts(node, 16, devices).toJson());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  CommandMain.Result plan(String... arguments) {
    List<String> all = new ArrayList<>(List.of("gres", "plan", "--facts=" + facts));
    all.add("--slurm-conf=" + folder.resolve("slurm.conf"));
    all.addAll(List.of(arguments));
    if (all.stream().noneMatch(argument -> argument.startsWith("--slurm-version"))) {
      all.add("--slurm-version=22.05");
    }
    return CommandMain.run(all.toArray(new String[0]));
  }

  public String text(String... arguments) {
    CommandMain.Result result = plan(arguments);
    assertEquals(0, result.exitCode(), result.err());
    return result.out();
  }

  public JsonNode json(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    try {
      return new ObjectMapper().readTree(text(all.toArray(new String[0])));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Plans, and applies the plan. */
  public String apply(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--json");
    write("plan.json", text(all.toArray(new String[0])));
    CommandMain.Result result =
        CommandMain.run("gres", "apply", "--plan=" + folder.resolve("plan.json"));
    assertEquals(0, result.exitCode(), result.err());
    return result.out();
  }

  public void assertRefused(String message, String... arguments) {
    CommandMain.Result result = plan(arguments);
    assertEquals(1, result.exitCode(), result.out());
    assertTrue(result.err().contains(message), result.err());
    assertEquals("", result.out());
  }

  public static List<String> strings(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(text -> texts.add(text.asText()));
    return texts;
  }
}
