package org.schedgpu.gres.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.SlurmConfig;

/** shard and mps anywhere in the cluster make slurmd count the files of a share. */
class SharingPluginsTest {
  @TempDir Path folder;

  private SiteChange change(String text) throws IOException {
    Path conf = Files.writeString(folder.resolve("slurm.conf"), text);
    return SiteChange.of(
        SlurmConfig.read(conf),
        List.of(new NodeChange("a1", "gpu:2", "gpu:t4:12", true)),
        SlurmConfSettings.defaults(),
        SiteRequest.none());
  }

  @Test
  void otherNodesThatHaveThemAreNamed() {
    String text = "GresTypes=gpu,shard\nNodeName=a1 Gres=gpu:2\nNodeName=a[2-3] Gres=shard:8\n";
    GresException e = assertThrows(GresException.class, () -> change(text));
    assertEquals(
        "schedgpu gres: %s/slurm.conf line 1, GresTypes= has shard, which a[2-3] has: with it"
                .formatted(folder)
            + " slurmd takes each file of a share for a GPU, on all nodes of the cluster: plan these"
            + " nodes too, with --remove-shards, or take shard out of their Gres= first",
        e.getMessage());
  }

  @Test
  void theyLeaveGresTypesWhenNobodyHasThem() throws IOException {
    SiteChange change = change("GresTypes=mps,gpu,shard\nNodeName=a1 Gres=gpu:2,shard:8\n");
    assertEquals(
        "GresTypes=gpu\nNodeName=a1 Gres=gpu:t4:12\n",
        new String(change.files().get(0).after(), StandardCharsets.UTF_8));
    assertTrue(
        change.warnings().stream().anyMatch(w -> w.startsWith("GresTypes= loses mps and shard")),
        change.warnings().toString());
  }

  @Test
  void typesThatAreAddedStay() throws IOException {
    SiteChange change = change("GresTypes=shard,nic\nNodeName=a1\n");
    assertEquals(
        "GresTypes=nic,gpu\nNodeName=a1 Gres=gpu:t4:12\n",
        new String(change.files().get(0).after(), StandardCharsets.UTF_8));
  }
}
