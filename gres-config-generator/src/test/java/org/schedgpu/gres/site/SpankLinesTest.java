package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugstack.conf in use gets schedGPU's line; its own lines stay. */
class SpankLinesTest {
  private static final String CONF = "plugstack.conf";

  @TempDir Path base;

  private SiteFixture site() {
    return new SiteFixture(base.resolve("slurm"));
  }

  private static SiteRequest spank() {
    return new SiteRequest(false, false, false, Optional.of("/s/schedgpu.so"), Optional.empty());
  }

  @Test
  void lineComesBehindThoseOfTheSite() {
    SiteFixture site = site().with(spank());
    site.write(CONF, "# ours\noptional /x/site.so a=b");
    SiteChange change = site.change("");
    assertEquals(
        "# ours\noptional /x/site.so a=b\nrequired /s/schedgpu.so\n",
        SiteFixture.text(change, CONF));
    assertEquals(List.of(), SiteFixture.warnings(change));
  }

  @Test
  void lineThatIsThereIsNotAddedAgain() {
    assertEquals("(unchanged)", SiteFixture.text(site().with(spank()).change(""), CONF));
  }

  @Test
  void fileIsMadeIfThereIsNone() throws IOException {
    SiteFixture site = site().with(spank());
    Files.delete(site.folder.resolve(CONF));
    assertEquals("required /s/schedgpu.so\n", SiteFixture.text(site.change(""), CONF));
  }

  @Test
  void withoutTheLineJobsAreUnprotected() {
    SiteFixture site = site();
    site.write(CONF, "optional /x/site.so\n");
    assertEquals(
        List.of(
            site.folder.resolve(CONF)
                + " loads no schedgpu.so: the options --schedgpu-* are unknown, and jobs run"
                + " unprotected; --spank=FILE adds the line"),
        SiteFixture.warnings(site.change("")));
  }

  @Test
  void fileElsewhereIsOnlyReported() throws IOException {
    Path elsewhere = Files.writeString(base.resolve("p.conf"), "optional /x/site.so\n");
    SiteFixture site = site().with(spank());
    SiteChange change = site.change("PlugStackConfig=" + elsewhere + "\n");
    assertEquals(
        List.of(
            "%s is not below %s and stays as it is: add to it, on every host, the line required /s/schedgpu.so"
                .formatted(elsewhere, site.folder)),
        SiteFixture.warnings(change));
    assertEquals("optional /x/site.so\n", Files.readString(elsewhere));
  }

  @Test
  void plugStackConfigOfTheSiteIncludesTheOther() throws IOException {
    Path other = Files.writeString(base.resolve("other.conf"), "required /s/schedgpu.so\n");
    SlurmConfSettings settings = SlurmConfSettings.defaults().withPlugStackConfig(other.toString());
    SiteFixture site = site().with(settings);
    site.write(CONF, "optional /x/site.so\n");
    String text = "optional /x/site.so\ninclude " + other + "\n";
    SiteChange change = site.change("");
    assertEquals(text, SiteFixture.text(change, CONF));
    assertFalse(SiteFixture.text(change, "slurm.conf").contains("PlugStackConfig"));
    site.write(CONF, text);
    assertEquals(List.of(), SiteFixture.warnings(site.change("")));
    assertEquals("(unchanged)", SiteFixture.text(site.change(""), CONF));
  }

  @Test
  void withoutAnyPlugstackTheSettingIsEnough() throws IOException {
    Path other = Files.writeString(base.resolve("other.conf"), "required /s/schedgpu.so\n");
    SiteFixture site =
        site().with(SlurmConfSettings.defaults().withPlugStackConfig(other.toString()));
    Files.delete(site.folder.resolve(CONF));
    SiteChange change = site.change("");
    assertTrue(SiteFixture.text(change, "slurm.conf").contains("\nPlugStackConfig=" + other));
    assertEquals("(unchanged)", SiteFixture.text(change, CONF));
  }
}
