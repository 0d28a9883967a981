package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs that a site runs before and after jobs stay; schedGPU's are added, or the plan says
 * how.
 */
class HooksTest {
  private static final SlurmConfSettings HOOKS =
      SlurmConfSettings.defaults().withHooks("/s/schedgpu-prolog", "/s/schedgpu-epilog");
  private static final String BASE =
      "ClusterName=x\nGresTypes=gpu\nTaskPlugin=task/cgroup\n" + SiteFixture.NODES;

  @TempDir Path folder;

  private SiteChange change(String lines) {
    return new SiteFixture(folder).with(HOOKS).bare(BASE + lines);
  }

  @Test
  void whatIsMissingIsSetWithFlagAndTimeout() {
    SiteChange change = change("");
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .startsWith(
                "ClusterName=x\nProlog=/s/schedgpu-prolog\nEpilog=/s/schedgpu-epilog\n"
                    + "PrologEpilogTimeout=60\nPrologFlags=Alloc\n"));
    assertEquals(List.of(), SiteFixture.warnings(change));
  }

  @Test
  void whatIsThereStaysAndTheWayIsReported() {
    SiteChange change = change("Prolog=/etc/p\nEpilog=/s/schedgpu-epilog\nPrologFlags=X11\n");
    String text = SiteFixture.text(change, "slurm.conf");
    assertTrue(text.contains("\nProlog=/etc/p\n") && text.contains("\nPrologFlags=X11\n"), text);
    assertEquals(
        List.of(
            "Prolog=/etc/p stays, so schedGPU's is not run; Slurm runs several with a pattern, the"
                + " last name first: on every node mkdir /etc/prolog.d, ln -s /etc/p"
                + " /etc/prolog.d/10-site, ln -s /s/schedgpu-prolog /etc/prolog.d/50-schedgpu, then"
                + " set Prolog=/etc/prolog.d/* and plan again"),
        SiteFixture.warnings(change));
  }

  @Test
  void patternThatFindsItIsEnough() throws IOException {
    Path hooks = Files.createDirectory(folder.toRealPath().resolve("prolog.d"));
    String lines = "Prolog=%s/*\nEpilog=/s/schedgpu-epilog\nPrologFlags=Contain\n".formatted(hooks);
    assertEquals(
        List.of(
            "Prolog=%1$s/* stays, it runs more than one: on every node ln -s /s/schedgpu-prolog %1$s/50-schedgpu, else schedGPU's prolog is not run"
                .formatted(hooks)),
        SiteFixture.warnings(change(lines)));
    Path program = Files.writeString(folder.toRealPath().resolve("schedgpu-prolog"), "");
    Files.createSymbolicLink(hooks.resolve("50-x"), program);
    SiteChange found =
        new SiteFixture(folder)
            .with(HOOKS.withHooks(program.toString(), "/s/schedgpu-epilog"))
            .bare(BASE + lines);
    assertEquals(List.of(), SiteFixture.warnings(found));
  }

  @Test
  void withoutOptionsTheConsequencesAreReported() {
    List<String> warnings = SiteFixture.warnings(new SiteFixture(folder).bare(BASE));
    assertEquals(
        List.of(
            "Prolog= is not set: if schedGPU's is not run, jobs get no budget, and none is"
                + " protected; --prolog=FILE puts it in",
            "Epilog= is not set: if schedGPU's is not run, a job ends only when somebody waits for"
                + " it; --epilog=FILE puts it in",
            "PrologFlags has no Alloc: the prolog of an salloc runs at its first step, and the"
                + " options of that step become the job's; --prolog sets it",
            "PrologEpilogTimeout is not set: an epilog that hangs keeps its node completing for"
                + " ever"),
        warnings);
  }

  @Test
  void timeoutBelowTheHooksIsReported() {
    assertEquals(
        List.of(
            "PrologEpilogTimeout=5 is less than 60: it must be larger than HookTimeout of"
                + " schedgpu.conf, Slurm drains the node when it is reached"),
        SiteFixture.warnings(new SiteFixture(folder).change("PrologEpilogTimeout=5\n")));
  }
}
