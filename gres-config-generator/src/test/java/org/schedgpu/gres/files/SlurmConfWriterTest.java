package org.schedgpu.gres.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.assertRefused;
import static org.schedgpu.gres.Fixtures.node;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.plan.GresPlan;
import org.schedgpu.gres.plan.Order;
import org.schedgpu.gres.site.SlurmConfSettings;

class SlurmConfWriterTest {
  private static final SlurmConfSettings DEFAULTS = SlurmConfSettings.defaults();

  private static String text(SlurmConfSettings settings) {
    return SlurmConfWriter.text(new GresPlan(List.of(node(2, 6, Order.SPREAD)), settings));
  }

  @Test
  void withoutSettingsWhatIsMissingIsAComment() {
    assertEquals(
        """
        # BEGIN schedgpu
        # If slurm.conf has GresTypes= already, add gpu to its list instead.
        GresTypes=gpu
        # A node is defined once, a second line is fatal: put Gres= into the one it has already.
        NodeName=gpu1 Gres=gpu:k20m:12
        #PlugStackConfig=<path of plugstack.conf>
        #Prolog=<path of schedGPU's prolog>
        #Epilog=<path of schedGPU's epilog>
        # Larger than HookTimeout of schedgpu.conf: Slurm drains the node at it.
        PrologEpilogTimeout=60
        # Needed beside these lines, for the whole cluster:
        #TaskPlugin=task/cgroup,task/affinity
        #ProctrackType=proctrack/cgroup
        #SelectType=select/cons_tres
        # and in cgroup.conf, so that a job opens its own devices only:
        #ConstrainDevices=yes
        # END schedgpu
        """,
        text(DEFAULTS));
  }

  @Test
  void withSettingsTheLinesAreComplete() {
    SlurmConfSettings settings =
        DEFAULTS
            .withPlugStackConfig("/etc/slurm/plugstack.conf")
            .withHooks("/usr/libexec/prolog", "/usr/libexec/epilog")
            .withPrologEpilogTimeout(30)
            .withNodeParameters("gpu1", " CPUs=16 RealMemory=4000 ");
    assertEquals(
        """
        # BEGIN schedgpu
        # If slurm.conf has GresTypes= already, add gpu to its list instead.
        GresTypes=gpu
        NodeName=gpu1 CPUs=16 RealMemory=4000 Gres=gpu:k20m:12
        PlugStackConfig=/etc/slurm/plugstack.conf
        Prolog=/usr/libexec/prolog
        Epilog=/usr/libexec/epilog
        # Larger than HookTimeout of schedgpu.conf: Slurm drains the node at it.
        PrologEpilogTimeout=30
        # Needed beside these lines, for the whole cluster:
        #TaskPlugin=task/cgroup,task/affinity
        #ProctrackType=proctrack/cgroup
        #SelectType=select/cons_tres
        # and in cgroup.conf, so that a job opens its own devices only:
        #ConstrainDevices=yes
        # END schedgpu
        """,
        text(settings));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 65534})
  void timeoutIsWhatSlurmTakes(int seconds) {
    assertRefused(
        "schedgpu gres: PrologEpilogTimeout is " + seconds + ": use a number from 1 to 65533",
        () -> DEFAULTS.withPrologEpilogTimeout(seconds));
  }

  @Test
  void pathsAreAbsolute() {
    String rest =
        " 'x' is not an absolute path that Slurm reads as one file: use a path such as"
            + " /dev/nvidia0; Slurm expands brackets and splits at commas";
    assertRefused("schedgpu gres: PlugStackConfig" + rest, () -> DEFAULTS.withPlugStackConfig("x"));
    assertRefused("schedgpu gres: Prolog" + rest, () -> DEFAULTS.withHooks("x", "/y"));
    assertRefused("schedgpu gres: Epilog" + rest, () -> DEFAULTS.withHooks("/y", "x"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"CPUs=4 Gres=gpu:2", "nodename=a", "CPUs=4  gres = gpu:2"})
  void parametersDoNotSayWhatThePlanSays(String parameters) {
    assertRefused(
        "schedgpu gres: node gpu1, parameters '"
            + parameters
            + "' have NodeName= or Gres=: leave them out; they are written from the plan",
        () -> DEFAULTS.withNodeParameters("gpu1", parameters));
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "CPUs=4\nPort=1", "CPUs=4 # x", "CPUs=4 \\"})
  void parametersAreOneLine(String parameters) {
    assertRefused(
        "schedgpu gres: node gpu1, parameters "
            + Check.quoted(parameters)
            + " are not one line of Key=Value: use one line without '#', such as CPUs=16"
            + " RealMemory=4000",
        () -> DEFAULTS.withNodeParameters("gpu1", parameters));
  }
}
