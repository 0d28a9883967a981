package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.PlanFixture;

/** If slurmdbd does not answer, sacctmgr waits for it; the plan reports that, and asks once. */
class SilentSlurmdbdTest {
  @TempDir Path temporary;

  @Test
  void whoIsWaitedForIsSaid() throws Exception {
    PlanFixture site =
        new PlanFixture(temporary)
            .slurmConf(
                "NodeName=gpu1 CPUs=16 Gres=gpu:t4:2\n"
                    + "AccountingStorageType=accounting_storage/slurmdbd\n")
            .facts("gpu1", 0, 1);
    Path bin = Files.createDirectory(temporary.resolve("bin"));
    Path asked = temporary.resolve("asked");
    Path sacctmgr =
        Files.writeString(
            bin.resolve("sacctmgr"), "#!/bin/sh\necho x >> " + asked + "\nexec sleep 300\n");
    Files.setPosixFilePermissions(sacctmgr, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> command = new ArrayList<>(List.of("env", "PATH=" + bin + ":/usr/bin:/bin"));
    command.addAll(
        ChildJvm.command(
            CommandMain.class.getName(),
            "gres",
            "plan",
            "--facts=" + temporary.resolve("facts"),
            "--slurm-conf=" + site.folder.resolve("slurm.conf"),
            "--slurm-version=22.05",
            "--per-gpu=2"));
    String output = ChildJvm.run(command);
    assertTrue(output.startsWith("0\nsacctmgr has not answered yet: is slurmdbd there?"), output);
    assertTrue(output.contains("sacctmgr did not answer: limits of gres/gpu in QOS"), output);
    assertTrue(output.contains("sacctmgr did not answer: limits of gres/gpu in assoc"), output);
    assertEquals("x\n", Files.readString(asked));
  }
}
