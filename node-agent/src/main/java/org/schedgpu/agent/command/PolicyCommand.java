package org.schedgpu.agent.command;

import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.jna.Policy;
import org.schedgpu.jna.SchedGpu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code schedgpu policy}: shows or changes the policy. */
@Command(
    name = "policy",
    description = {
      "Shows the policy; root changes it while jobs run.",
      "A new region has the Policy of schedgpu.conf."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Shown or changed.",
      "1:The region cannot be used, or is another user's.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {"  schedgpu policy", "  schedgpu policy priority-mmu"})
public final class PolicyCommand extends NodeCommand {
  private static final List<String> NAMES =
      Arrays.stream(Policy.values()).map(Policy::text).toList();

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "The new policy: ${COMPLETION-CANDIDATES}.",
      completionCandidates = Names.class)
  private String name;

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Override
  public Integer call() {
    if (name != null && Policy.of(name).isEmpty()) {
      throw new ParameterException(
          spec().commandLine(), "policy " + name + " is none of " + String.join(", ", NAMES));
    }
    try (SchedGpu region = openRegion()) {
      if (name != null) {
        requireOwner(region, "changes the policy");
        region.setPolicy(Policy.of(name).orElseThrow());
      }
      print(region.liveSnapshot().policy().map(Policy::text).orElse(null));
    }
    return ExitCode.OK;
  }

  private void print(String policy) {
    if (policy == null) {
      throw new AgentException("the region contains an impossible policy: run schedgpu doctor");
    }
    if (json) {
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("policy", policy);
      facts.put("policies", NAMES);
      out().print(JsonText.of(facts));
      out().flush();
    } else {
      out().println(policy);
    }
  }

  /** The names of all policies, which the shell completes. */
  static final class Names implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return NAMES.iterator();
    }
  }
}
