package org.schedgpu.gres.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.PlanFixture;

/** A device that the existing files have and the facts lack is not removed silently. */
class MissingDevicesTest {
  @TempDir Path temporary;
  private PlanFixture site;

  @BeforeEach
  void twoNodesOfTwo() {
    site =
        new PlanFixture(temporary)
            .slurmConf("NodeName=gpu[1-3] CPUs=16 Gres=gpu:t4:2\n")
            .write(
                "gres.conf", "# ours\nNodeName=gpu[1-3] Name=gpu Type=t4 File=/dev/nvidia[0-1]\n")
            .facts("gpu2", 0, 1);
  }

  /** One device, two shares: gpu:t4:2 before and after. */
  @Test
  void aGpuOffTheBusIsNamedWithItsLine() {
    site.facts("gpu1", 0)
        .assertRefused(
            "schedgpu gres: "
                + site.folder
                + "/gres.conf line 2, node gpu1 has /dev/nvidia1, which its facts lack"
                + " (/dev/nvidia0): if it is off the bus or has another file now, correct that and"
                + " write the facts again; --remove-missing removes it from the cluster\n",
            "--per-gpu=2");
  }

  /** slurmd does not read the lines of other types, so they do not say what a node has. */
  @Test
  void theLineIsOneOfItsType() {
    site.slurmConf("NodeName=gpu1 CPUs=16 Gres=gpu:t4:2\nNodeName=gpu2 CPUs=16 Gres=gpu:a100:2\n")
        .write(
            "gres.conf",
            "Name=gpu Type=a100 File=/dev/nvidia[0-1]\nName=gpu Type=t4 File=/dev/nvidia[0-1]\n")
        .facts("gpu1", 0)
        .assertRefused("gres.conf line 2, node gpu1 has /dev/nvidia1, which", "--per-gpu=2");
  }

  @Test
  void aDeviceWithAnotherFileIsNamed() {
    site.facts("gpu1", 0, 3)
        .assertRefused(
            "node gpu1 has /dev/nvidia1, which its facts lack (/dev/nvidia0, /dev/nvidia3)",
            "--per-gpu=2");
  }

  @Test
  void allNodesAreNamed() {
    site.facts("gpu1", 0).facts("gpu2", 1).facts("gpu3", 0);
    site.assertRefused("node gpu[1,3] has /dev/nvidia1, which", "--per-gpu=2");
    site.assertRefused("(/dev/nvidia0), and gpu2 the like: if", "--per-gpu=2");
  }

  @Test
  void whoWantsThatIsWarnedFirstOfAll() {
    site.facts("gpu1", 0);
    assertEquals(
        site.folder
            + "/gres.conf line 2, node gpu1 loses /dev/nvidia1, which its facts lack"
            + " (/dev/nvidia0)",
        site.json("--per-gpu=2", "--remove-missing").get("warnings").get(0).asText());
  }

  @Test
  void aNodeOfNoRuleMayLackWhatItLikes() {
    site.facts("gpu1", 0);
    assertTrue(site.text("--rule=nodes=gpu2,per-gpu=2").contains("gpu2"));
  }

  /** The second time, gres.conf has lines of ours. */
  @Test
  void aDeviceOfOurOwnLinesIsNamedToo() {
    site.facts("gpu1", 0, 1).apply("--per-gpu=2");
    site.facts("gpu1", 1).assertRefused("node gpu1 has /dev/nvidia0, which", "--per-gpu=2");
  }

  @Test
  void ofALineForAllANodeMayHaveAsManyAsGresSays() {
    site.write("gres.conf", "Name=gpu Type=t4 File=/dev/nvidia[0-7]\n").facts("gpu1", 0, 1);
    assertFalse(site.text("--per-gpu=2").contains("loses"));
    site.facts("gpu1", 0);
    site.assertRefused("line 1, node gpu1 has /dev/nvidia1", "--per-gpu=2");
  }

  @Test
  void ofADetectorGresSaysHowManyThereAre() {
    site.write("gres.conf", "AutoDetect=nvml\n").facts("gpu1", 0);
    site.assertRefused(
        "gres.conf line 1, node gpu1 has 1 of 2 GPUs in Gres=, which its facts lack",
        "--per-gpu=2");
    site.facts("gpu1", 0, 1);
    assertFalse(site.text("--per-gpu=2").contains("loses"));
  }

  @Test
  void migInstancesAreNoMissingDevices() {
    site.slurmConf("NodeName=gpu[1-3] Gres=gpu:t4:1,gpu:1g.5gb:1\n")
        .write(
            "gres.conf",
            "NodeName=gpu1 Name=gpu Type=t4 File=/dev/nvidia[0-7]\n"
                + "NodeName=gpu1 Name=gpu Type=1g.5gb"
                + " MultipleFiles=/dev/nvidia1,/dev/nvidia-caps/nvidia-cap1\n")
        .facts("gpu1", 0);
    assertFalse(site.text("--rule=nodes=gpu1,per-gpu=2").contains("loses"));
  }
}
