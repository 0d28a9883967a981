package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** gres/gpu in the accounting, and limits on it. */
class AccountingTest {
  private static final String DBD = "AccountingStorageType=accounting_storage/slurmdbd\n";

  @TempDir Path folder;

  private SiteFixture site(boolean accounting, String limits) throws IOException {
    Path file = Files.writeString(folder.resolve("limits.txt"), limits);
    return new SiteFixture(folder)
        .with(new SiteRequest(accounting, false, false, Optional.empty(), Optional.of(file)));
  }

  @Test
  void gpusAreAddedWhereSlurmdbdIsUsed() throws IOException {
    SiteChange change = site(true, "").change(DBD + "AccountingStorageTRES=license/a # x\n");
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .endsWith("\nAccountingStorageTRES=license/a,gres/gpu # x\n"));
    assertEquals(List.of(), SiteFixture.warnings(change));
    assertEquals(
        List.of(
            "AccountingStorageTRES has no gres/gpu: sacct and limits do not see GPUs; --accounting"
                + " adds it"),
        SiteFixture.warnings(site(false, "").change(DBD)));
  }

  @Test
  void withoutSlurmdbdTheyWouldBeFatal() throws IOException {
    SiteChange change = site(true, "").change("");
    assertEquals(
        List.of(
            "--accounting adds nothing: AccountingStorageType is accounting_storage/none, and"
                + " without slurmdbd slurmctld ends with a fatal error at"
                + " AccountingStorageTRES=gres/gpu"),
        SiteFixture.warnings(change));
    assertTrue(!SiteFixture.text(change, "slurm.conf").contains("AccountingStorageTRES"));
  }

  @Test
  void whatIsCountedAlreadyChangesItsMeaning() throws IOException {
    SiteChange change = site(true, "").change(DBD + "AccountingStorageTRES=cpu,GRES/GPU\n");
    assertEquals(
        List.of(
            "AccountingStorageTRES has gres/gpu: sacct, sreport and limits count virtual GPUs from"
                + " now on, and whole devices in what was recorded before"),
        SiteFixture.warnings(change));
  }

  @Test
  void limitsWithAndWithoutTheNamesOfColumnsAreFound() {
    assertEquals(
        List.of(
            "limit gres/gpu=4 of normal counts shares now: 4 of them, not as many devices; sacctmgr"
                + " modify changes it"),
        Limits.limits("normal||cpu=8,gres/gpu=4||\nother||cpu=8||\n"));
    assertEquals(
        List.of(
            "limit GrpTRES gres/gpu:a100=8 of physics/ann counts shares now: 8 of them, not as many"
                + " devices; sacctmgr modify changes it"),
        Limits.limits("Account|User|GrpTRES|MaxTRES\nphysics|ann|gres/gpu:a100=8|cpu=3\n"));
  }

  private static List<String> recorded(String name) throws IOException {
    try (var in = AccountingTest.class.getResourceAsStream("sacctmgr/" + name)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Limits.limits(text.replaceFirst("(?s)^#[^\n]*\n", "")).stream()
          .map(limit -> limit.replaceFirst(" counts shares now.*", ""))
          .toList();
    }
  }

  @Test
  void everyLimitOfAFullListIsNamedByItsQosOnly() throws IOException {
    assertEquals(
        List.of(
            "limit GrpTRES gres/gpu=8 of big",
            "limit GrpTRESMins gres/gpu=600 of big",
            "limit GrpTRESRunMins gres/gpu=50 of big",
            "limit MaxTRES gres/gpu=4 of big",
            "limit MaxTRESMins gres/gpu=60 of big",
            "limit MaxTRESPU gres/gpu=2 of big",
            "limit MaxTRESPA gres/gpu=6 of big",
            "limit MinTRES gres/gpu=1 of big"),
        recorded("qos-22.05.8.txt"));
  }

  @Test
  void limitsOfAccountsAndUsersAreFound() throws IOException {
    assertEquals(
        List.of(
            "limit GrpTRES gres/gpu=16 of phys",
            "limit MaxTRES gres/gpu=3 of phys",
            "limit MaxTRES gres/gpu=3 of phys/root"),
        recorded("assoc-22.05.8.txt"));
  }

  @Test
  void everyTypeOfOneLimitIsReported() {
    assertEquals(2, Limits.limits("Name|MaxTRES\nq|gres/gpu=5,gres/gpu:a100=2\n").size());
  }

  @Test
  void minutesAreThoseOfAShare() {
    assertEquals(
        List.of(
            "limit GrpTRESMins gres/gpu=600 of q counts shares now: 600 minutes of one share, not"
                + " of a device; sacctmgr modify changes it"),
        Limits.limits("Name|GrpTRESMins\nq|gres/gpu=600\n"));
  }

  @Test
  void limitsOfAFileAreReported() throws IOException {
    SiteChange change = site(false, "big|gres/gpu=2|\n").change("");
    assertTrue(SiteFixture.warnings(change).get(0).startsWith("limit gres/gpu=2 of big counts"));
    String many = "q|gres/gpu=2|\n".repeat(25);
    List<String> warnings = SiteFixture.warnings(site(false, many).change(""));
    assertEquals(21, warnings.size());
    assertEquals("and 5 more limits of gres/gpu", warnings.get(20));
  }

  private SiteChange shards(boolean accounting, String limits, String lines) throws IOException {
    return site(accounting, limits)
        .node("g1", "gpu:2", "gpu:t4:2,shard:30")
        .node("g2", "gpu:2", "gpu:t4:2,shard:30")
        .change(lines);
  }

  @Test
  void shardsAreAddedBesideWhatIsThere() throws IOException {
    String before = DBD + "AccountingStorageTRES=license/a,gres/gpu # x\n";
    SiteChange change = shards(true, "", before);
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .endsWith("\nAccountingStorageTRES=license/a,gres/gpu,gres/shard # x\n"));
    assertEquals(List.of(), SiteFixture.warnings(change));
    change = shards(true, "", DBD + "AccountingStorageTRES=GRES/shard,gres/gpu\n");
    assertTrue(!SiteFixture.text(change, "slurm.conf").contains("gres/gpu,"));
    assertEquals(
        List.of(
            "AccountingStorageTRES has no gres/shard: sacct and limits do not see them;"
                + " --accounting adds it"),
        SiteFixture.warnings(shards(false, "", before)));
  }

  @Test
  void withoutSlurmdbdBothWouldBeFatal() throws IOException {
    assertTrue(
        SiteFixture.warnings(shards(true, "", ""))
            .get(0)
            .endsWith("a fatal error at AccountingStorageTRES=gres/gpu,gres/shard"));
  }

  @Test
  void limitsOfGpusDoNotCountShards() throws IOException {
    assertEquals(
        List.of(
            "limit GrpTRES gres/gpu=2 of big does not count shards: jobs with --gres=shard are not"
                + " limited by it; sacctmgr modify adds one of gres/shard"),
        SiteFixture.warnings(shards(false, "Name|GrpTRES\nbig|gres/gpu=2\n", "")));
    SiteChange again =
        site(false, "big|gres/gpu=2|\n")
            .node("g1", "gpu:t4:2,shard:30", "gpu:t4:2,shard:30")
            .node("g2", "gpu:t4:2,shard:30", "gpu:t4:2,shard:30")
            .change("");
    assertEquals(List.of(), SiteFixture.warnings(again));
  }

  @Test
  void theMemoryOfDevicesIsAdded() throws IOException {
    SiteChange change =
        site(true, "")
            .node("g1", "gpu:2", "gpu:t4:24,gpumem:30000M")
            .change(DBD + "AccountingStorageTRES=gres/gpu\n");
    assertTrue(
        SiteFixture.text(change, "slurm.conf")
            .endsWith("\nAccountingStorageTRES=gres/gpu,gres/gpumem\n"));
  }
}
