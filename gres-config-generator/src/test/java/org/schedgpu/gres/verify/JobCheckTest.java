package org.schedgpu.gres.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.live.SrunJobs;
import org.schedgpu.gres.verify.PlannedNode.PlannedDevice;

/** The judgement on what a job saw. */
class JobCheckTest {
  private static final PlannedNode NODE =
      new PlannedNode(
          "n1",
          "gpu:x:4",
          List.of(
              new PlannedDevice("GPU-a", "/dev/a", List.of(0, 2)),
              new PlannedDevice("GPU-b", "/dev/b", List.of(1, 3))));

  private static JobCheck judge(boolean confined, String a, String b, String gpus, String visible) {
    JobCheck judge = new JobCheck(NODE, confined);
    judge.judge(new JobOutput(Map.of("/dev/a", a, "/dev/b", b), gpus, visible));
    return judge;
  }

  private static void assertFound(String what, JobCheck judge) {
    assertEquals(List.of(what), judge.findings().stream().map(Finding::what).toList());
  }

  @Test
  void exactlyItsDeviceAndUuid() {
    assertEquals(List.of(), judge(true, "open", "denied", "2", "GPU-a").findings());
    assertEquals(List.of(), judge(true, "denied", "open", "1", "GPU-b").findings());
    assertEquals(List.of(), judge(true, "denied", "open", "1", "GPU-b").notes());
  }

  @Test
  void anotherDevice() {
    assertFound(
        "virtual GPU 1 is /dev/b, but its job can open /dev/a",
        judge(true, "open", "denied", "1", "GPU-b"));
    assertFound(
        "virtual GPU 1 is /dev/b, but its job can open none",
        judge(false, "denied", "denied", "1", "GPU-b"));
  }

  @Test
  void anotherUuid() {
    assertFound(
        "virtual GPU 0 is GPU-a, but SCHEDGPU_DEVICES is GPU-b",
        judge(true, "open", "denied", "0", "GPU-b"));
  }

  @Test
  void withoutSpankTheValueIsSlurmsAndThatIsSaid() {
    JobCheck judge = judge(true, "open", "denied", "0", "0");

    assertEquals(List.of(), judge.findings());
    assertTrue(judge.notes().get(0).contains("SPANK plugin is not on"), judge.notes()::toString);
  }

  @Test
  void notConfinedIsSaidAndWrongOnlyWhereItShouldBe() {
    JobCheck free = judge(false, "open", "open", "0", "GPU-a");
    assertEquals(List.of(), free.findings());
    assertTrue(free.notes().get(0).contains("a job is not confined"), free.notes()::toString);

    JobCheck should = judge(true, "open", "open", "0", "GPU-a");
    assertFound("virtual GPU 0 is /dev/a, but its job can open /dev/a /dev/b", should);
    assertTrue(should.findings().get(0).action().contains("not in effect"));
  }

  @Test
  void deviceFilesThatAreMissingOrForbidden() {
    assertFound("has no device file /dev/a", judge(true, "missing", "denied", "0", "GPU-a"));
    assertFound("a job may not open /dev/a", judge(true, "mode", "denied", "0", "GPU-a"));
  }

  @Test
  void notOneOfThePlansVirtualGpus() {
    assertFound(
        "Slurm gave the job virtual GPU 9, which the plan has not",
        judge(true, "open", "denied", "9", "0"));
    assertFound("Slurm gave the job the GPUs '', not one", judge(true, "open", "denied", "", "0"));
  }

  @Test
  void aGpuThatTheNodeKeepsAsItWasIsNotJudged() {
    JobCheck judge = new JobCheck(new PlannedNode("n1", "gpu:x:4,gpu:old:1", NODE.devices()), true);
    judge.judge(new JobOutput(Map.of("/dev/a", "denied", "/dev/b", "denied"), "4", "0"));

    assertEquals(List.of(), judge.findings());
    assertTrue(judge.notes().get(0).contains("was not checked"), judge.notes()::toString);
  }

  @Test
  void whyAJobDidNotRun() {
    JobCheck judge = new JobCheck(NODE, true);
    judge.notRun(new SrunJobs.Ended(1, "", "srun: error: Requested nodes are busy", true), "x");
    judge.notRun(new SrunJobs.Ended(-1, "", "", false), "x");
    judge.notRun(new SrunJobs.Ended(1, "", "srun: error: Invalid account", true), "");

    assertEquals(
        List.of(
            "not run: busy, a job of gpu:x found none free",
            "not run: a job of gpu:x did not end in time",
            "not run: a job of gpu failed: srun: error: Invalid account"),
        judge.findings().stream().map(Finding::what).toList());
  }

  @Test
  void linesOfOthersInTheOutputDoNotMatter() {
    JobOutput answer =
        JobOutput.parse(
                "hello\nschedgpu-verify device open /dev/a\nschedgpu-verify device denied /dev/b\n"
                    + "schedgpu-verify gpus 0\nprolog says hi\nschedgpu-verify visible \n")
            .orElseThrow();

    assertEquals(new JobOutput(Map.of("/dev/a", "open", "/dev/b", "denied"), "0", ""), answer);
    assertTrue(JobOutput.parse("schedgpu-verify gpus 0\n").isEmpty());
  }
}
