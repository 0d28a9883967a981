package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.SlurmConfig;

/** A result with another meaning is refused, whatever caused it. */
class MeaningUnchangedCheckTest {
  private static final String BEFORE =
      """
      ClusterName=x
      NodeName=DEFAULT Weight=3 Gres=gpu:2
      NodeName=a[1-2] Port=[7001-7002] CPUs=4
      PartitionName=p Nodes=ALL MaxTime=10 TRESBillingWeights="CPU=1"
      """;

  @TempDir Path folder;

  private SlurmConfig read(String name, String text) throws IOException {
    return SlurmConfig.read(Files.writeString(folder.resolve(name), text));
  }

  private void require(String after) throws IOException {
    new MeaningUnchangedCheck(read("before", BEFORE), read("after", after))
        .require(Map.of("a1", "gpu:t4:12"), Set.of("GresTypes"), Set.of());
  }

  private void assertRefused(String problem, String old, String fresh) {
    String after = planned().replace(old, fresh);
    assertEquals(
        "schedgpu gres: the changed slurm.conf would mean something else for " + problem,
        assertThrows(GresException.class, () -> require(after))
            .getMessage()
            .replaceFirst(": change.*", ""));
  }

  private static String planned() {
    return BEFORE.replace(
            "NodeName=a[1-2] Port=[7001-7002] CPUs=4\n",
            "NodeName=a2 cpus=4 Port=7002\nNodeName=a1 Port=7001 CPUs=4 Gres=gpu:t4:12\n")
        + "GresTypes=gpu\n";
  }

  @Test
  void sameInOtherWordsIsTheSame() throws IOException {
    require(planned());
  }

  @Test
  void anythingElseIsRefused() {
    assertRefused(
        "node a2: {cpus=4, gres=gpu:2, nodeaddr=a2, nodehostname=a2, port=7003, weight=3} instead"
            + " of {cpus=4, gres=gpu:2, nodeaddr=a2, nodehostname=a2, port=7002, weight=3}",
        "7002",
        "7003");
    assertRefused("the list of nodes: [a1, a3] instead of [a1, a2]", "NodeName=a2", "NodeName=a3");
    assertRefused(
        "the cluster: {ClusterName=x, MaxArraySize=7} instead of {ClusterName=x}",
        "GresTypes=gpu",
        "GresTypes=gpu\nMaxArraySize=7");
  }

  @Test
  void nodesBesideThePlannedAndPartitionsAreLookedAt() {
    assertThrows(GresException.class, () -> require(planned().replace("Gres=gpu:2", "Gres=gpu:3")));
    assertThrows(GresException.class, () -> require(planned().replace("t4:12", "t4:11")));
    assertThrows(GresException.class, () -> require(planned().replace("=ALL", "=a1")));
    assertThrows(GresException.class, () -> require(planned().replace("CPU=1", "CPU=2")));
    assertThrows(GresException.class, () -> require(planned().replace("Weight=3", "Weight=4")));
    assertThrows(GresException.class, () -> require(planned() + "PartitionName=q\n"));
  }
}
