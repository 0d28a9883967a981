package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings that keep a job from opening the devices of others. */
class CgroupsTest {
  private static final String CONF = "cgroup.conf";
  private static final String CONSEQUENCE =
      ": a program that ignores CUDA_VISIBLE_DEVICES can use devices of others;"
          + " --constrain-devices sets ConstrainDevices=yes";

  @TempDir Path folder;

  private SiteFixture site(String cgroupConf, boolean wish) {
    SiteFixture site =
        new SiteFixture(folder)
            .with(new SiteRequest(false, false, wish, Optional.empty(), Optional.empty()));
    site.write(CONF, cgroupConf);
    return site;
  }

  private String changed(String cgroupConf) {
    return SiteFixture.text(site(cgroupConf, true).change(""), CONF);
  }

  @Test
  void theKeyIsSetWhereItIsOrAtTheEnd() {
    assertEquals(
        "# c\nconstraindevices = yes # why\n", changed("# c\nconstraindevices = no # why\n"));
    assertEquals("ConstrainCores=yes\nConstrainDevices=yes", changed("ConstrainCores=yes"));
    assertEquals("(unchanged)", changed("ConstrainDevices=YES\n"));
    assertEquals("(unchanged)", changed("ConstrainDevices=1\n"));
  }

  @Test
  void fileThatIsMissingIsMade() throws IOException {
    SiteFixture site = site("", true);
    Files.delete(folder.resolve(CONF));
    assertEquals("ConstrainDevices=yes\n", SiteFixture.text(site.change(""), CONF));
  }

  @Test
  void withoutTheOptionItIsReported() throws IOException {
    Path file = folder.resolve(CONF);
    assertEquals(
        List.of(file + " has no ConstrainDevices" + CONSEQUENCE),
        SiteFixture.warnings(site("", false).change("")));
    assertEquals(
        List.of(file + " has ConstrainDevices=no" + CONSEQUENCE),
        SiteFixture.warnings(site("ConstrainDevices=no\n", false).change("")));
    Files.delete(file);
    SiteFixture without = site("", false);
    Files.delete(file);
    assertEquals(
        List.of(file + " is not there" + CONSEQUENCE), SiteFixture.warnings(without.change("")));
  }

  @Test
  void pluginsWithoutWhichNothingIsKeptApartAreReported() {
    SiteChange change =
        new SiteFixture(folder)
            .change(
                "TaskPlugin=task/affinity\n"
                    + "ProctrackType=proctrack/linuxproc\n"
                    + "SelectType=select/linear\n");
    assertEquals(
        List.of(
            "TaskPlugin=task/affinity has no task/cgroup: ConstrainDevices has no effect, a program"
                + " can open every device of the node",
            "ProctrackType=proctrack/linuxproc loses processes that leave their group: they can"
                + " outlive the job with their device memory; proctrack/cgroup does not",
            "SelectType=select/linear gives whole nodes to jobs: shares never run together"),
        SiteFixture.warnings(change));
    assertEquals(
        List.of(
            "SelectType=select/cons_res does not know --gpus and its like: jobs get shares with"
                + " --gres only"),
        SiteFixture.warnings(new SiteFixture(folder).change("SelectType=select/cons_res\n")));
  }
}
