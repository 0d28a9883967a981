package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.RunProgram;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.OtherVersionRegion;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.SchedGpu;

/** The commands with the real libschedgpu and their own region. */
class NodeTest {
  private static final String DEVICE =
      "NodeName=n Device=%d UUID=GPU-%d File=/dev/nvidia%d TotalBytes=17179869184 ReservedBytes=0"
          + " ContextBytes=268435456 Virtual=%s Name=\"Emulated GPU\"";

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private Path runDir;

  @BeforeEach
  void region() throws IOException {
    RealLibrary.require();
    runDir = folder.resolve("run");
    Path devices =
        Files.write(
            folder.resolve("devices.conf"),
            List.of(DEVICE.formatted(0, 0, 0, "0-3"), DEVICE.formatted(1, 1, 1, "4-7")));
    Files.writeString(folder.resolve("schedgpu.conf"), "Policy=mmu\nSafetyMargin=1G\n");
    assertEquals(
        new Cli(0, runDir + ": ready, 2 devices of " + devices + "\n", ""),
        node("setup", "--devices-file", devices.toString(), "--node", "n"));
  }

  @AfterEach
  void removeRegion() {
    if (runDir != null) {
      SchedGpu.remove(runDir, true);
    }
  }

  /** A command about this test's node. */
  private Cli node(String command, String... rest) {
    List<String> args = new java.util.ArrayList<>(List.of(command.split(" ", -1)));
    args.addAll(List.of("--run-dir", runDir.toString()));
    args.addAll(List.of("--conf", folder.resolve("schedgpu.conf").toString()));
    args.addAll(List.of(rest));
    return Cli.run(args.toArray(new String[0]));
  }

  private static JobSpec job(long id) {
    return new JobSpec(
        JobKind.SLURM,
        id,
        0,
        50,
        Mode.PEAK,
        1,
        false,
        JobSpec.FOREVER,
        new TreeMap<>(Map.of(0, 6L << 30)),
        "train");
  }

  @Test
  void aJobWhoseEpilogNeverRanIsEndedByHand() {
    Assumptions.assumeTrue(Posix.effectiveUid() == 0, "only root ends jobs");
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(4711));
      assertEquals(new Cli(0, "slurm:4711: ended\n", ""), node("end", "slurm:4711"));
      assertTrue(region.snapshot().jobs().isEmpty());
      assertEquals(
          new Cli(
              1,
              "",
              "schedgpu: slurm:4711: there is no such job on this node: schedgpu status shows those"
                  + " that are\n"),
          node("end", "slurm:4711"));
      assertEquals(
          new Cli(
              2,
              "",
              "schedgpu end: job 4711 is none: write slurm:ID or run:ID: see schedgpu end"
                  + " --help\n"),
          node("end", "4711"));
    }
  }

  /** Slurm's indexes 0 to 3 are shares of device 0, 4 to 7 of device 1. */
  @Test
  void devicesBehindSharesAndOfAJobAreTold() {
    String first = "0 GPU-0 /dev/nvidia0 0-3\n";
    String second = "1 GPU-1 /dev/nvidia1 4-7\n";
    assertEquals(new Cli(0, first + second, ""), devices());
    assertEquals(new Cli(0, first + second, ""), devices("--shares", "2,5"));
    assertEquals(new Cli(0, second, ""), devices("--shares", "5-7"));
    assertEquals(new Cli(0, "0,1\n", ""), devices("--shares", "7,0", "--print", "index"));
    assertEquals(new Cli(0, "", ""), devices("--shares", "", "--print", "index"));
    assertEquals(2, devices("--shares", "1", "--job", "1").exitCode());
    assertEquals(2, devices("--print", "name").exitCode());
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(job(4711));
      assertEquals(new Cli(0, "GPU-0\n", ""), devices("--job", "4711", "--print", "uuid"));
      assertEquals(new Cli(0, first, ""), devices("--job", "slurm:4711"));
    }
  }

  @Test
  void whatHasNoDeviceIsAnErrorAndNotAGuess() {
    Cli unknown = devices("--shares", "8");
    assertEquals(1, unknown.exitCode());
    assertTrue(unknown.err().contains("GPU 8 of Slurm is on no device in"), unknown::err);
    assertTrue(devices("--shares", "GPU-0").err().contains("is no list of numbers"));
    assertTrue(devices("--job", "12").err().contains("slurm:12: schedGPU has no such job"));
    assertTrue(devices("--job", "12.0").err().contains("--job 12.0 is none"));
    Cli elsewhere = devices("--node", "x");
    assertEquals(1, elsewhere.exitCode());
    assertTrue(elsewhere.err().contains("has no device of node x"), elsewhere::err);
  }

  private Cli devices(String... rest) {
    List<String> args = new java.util.ArrayList<>(List.of(rest));
    if (!args.contains("--node")) {
      args.addAll(List.of("--node", "n"));
    }
    return node("gres devices", args.toArray(new String[0]));
  }

  @Test
  void onlyRootEndsAJob() {
    AgentException refused = assertThrows(AgentException.class, () -> EndCommand.checkUser(1000));
    assertEquals("only root ends a job's record: ask the administrator", refused.getMessage());
  }

  /** A region of an older schedGPU: its file names another layout. */
  private void makeOld() throws IOException {
    Path file = runDir.resolve("region");
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("^schedgpu region [0-9]+", "schedgpu region 4"));
  }

  @Test
  void aRegionOfAnotherLayoutIsReplacedOnceNobodyUsesIt() throws IOException {
    String devices = folder.resolve("devices.conf").toString();
    try (SchedGpu user = SchedGpu.open(runDir)) {
      assertEquals(0, user.snapshot().jobs().size());
      makeOld();
      assertEquals(
          new Cli(
              1,
              "",
              ("schedgpu: %s: 1 process uses a region of layout 4, and this schedgpu needs layout"
                      + " %d: drain the node; when no process uses it any more, the agent or"
                      + " schedgpu setup replaces it\n")
                  .formatted(runDir, OtherVersionRegion.ours())),
          node("setup", "--devices-file", devices, "--node", "n"));
    }
    assertEquals(
        new Cli(
            0,
            ("%1$s: replaced a region of layout 4, which no process used\n"
                    + "%1$s: ready, 2 devices of %2$s\n")
                .formatted(runDir, devices),
            ""),
        node("setup", "--devices-file", devices, "--node", "n"));
    assertEquals(0, node("status").exitCode());
  }

  @Test
  void aJobIsShownFromItsBeginToItsEnd() {
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(
          new JobSpec(
              JobKind.SLURM,
              4711,
              0,
              50,
              Mode.PEAK,
              1,
              false,
              JobSpec.FOREVER,
              new TreeMap<>(Map.of(0, 6L << 30)),
              "train"));
      Cli status = node("status");
      assertEquals(0, status.exitCode());
      assertTrue(status.out().startsWith(runDir + ": policy mmu, 1 job, 0 waiting\n"), status::out);
      assertTrue(status.out().contains("0.0 of 15.0 GiB, 15.0 GiB free"), status::out);
      assertTrue(
          status
              .out()
              .contains(
                  "slurm:4711       root       50 peak       0    6.0      0.0    0.0     0.0    "
                      + " 0"),
          status::out);
      assertEquals(new Cli(0, "priority-fifo\n", ""), node("policy", "priority-fifo"));
      assertTrue(node("status", "--json").out().contains("\"policy\": \"priority-fifo\""));
      region.jobEnd(JobKind.SLURM, 4711);
      assertTrue(node("status").out().contains("0 jobs"));
    }
  }

  /** Its mode lets any user write the region in Mode=shared; the commands do not do it for him. */
  @Test
  void onlyTheOwnerOfTheRegionChangesIt() {
    NodeCommand.requireOwner(1000, 1000, "changes the policy");
    assertEquals(
        "only root, whose region it is, changes the policy: ask the administrator",
        assertThrows(
                AgentException.class, () -> NodeCommand.requireOwner(1000, 0, "changes the policy"))
            .getMessage());
  }

  @Test
  void theRunDirMayComeBeforeTheCommand() {
    assertEquals(0, Cli.run("--run-dir", runDir.toString(), "policy").exitCode());
  }

  @Test
  void withoutARegionTheExitCodeSaysSo() {
    for (String command : List.of("status", "reap", "policy")) {
      Cli cli = Cli.run(command, "--run-dir", "/no/such/dir");
      assertEquals(3, cli.exitCode());
      assertTrue(cli.err().startsWith("schedgpu: cannot open /no/such/dir: "), cli::err);
      assertEquals(1, cli.err().lines().count());
    }
  }

  @Test
  void aReapOfTheLivingFindsNothing() {
    assertEquals(
        "0 dead processes removed, 0 jobs ended, 0.0 GiB given back, 0 requests served\n",
        node("reap").out());
  }

  @Test
  void aNodeThatTheDevicesFileLacksIsNamed() {
    Cli cli =
        node("setup", "--devices-file", folder.resolve("devices.conf").toString(), "--node", "m");
    assertEquals(
        "schedgpu: "
            + folder.resolve("devices.conf")
            + ": no device of node m: write it with schedgpu gres plan\n",
        cli.err());
  }

  @Test
  void runGivesTheCommandItsJob() throws IOException {
    Path seen = folder.resolve("seen");
    Cli cli =
        node(
            "run",
            "--mem",
            "6G",
            "--priority",
            "high",
            "--device",
            "0,1",
            "--",
            "sh",
            "-c",
            "echo $PPID $SCHEDGPU_JOB $CUDA_VISIBLE_DEVICES $SCHEDGPU_RUN_DIR > "
                + seen
                + "; exit 7");
    assertEquals(new Cli(7, "", ""), cli);
    String pid = Files.readString(seen).split(" ", 2)[0];
    assertEquals(pid + " run:" + pid + " GPU-0,GPU-1 " + runDir + "\n", Files.readString(seen));
    assertTrue(node("status").out().contains("0 jobs"));
  }

  /** Through the command that the program is given, with its options about the node. */
  @Test
  void runHasARegionMadeWhereThereIsNone() throws Exception {
    SchedGpu.remove(runDir, true);
    Path seen = folder.resolve("seen");
    Path command =
        Files.writeString(
            folder.resolve("schedgpu"),
            "#!/bin/sh\necho \"$@\" > " + seen + "\necho 'schedgpu: no GPU' >&2\nexit 1\n");
    assertTrue(command.toFile().setExecutable(true));
    List<String> line =
        RunProgram.line("run", "--run-dir", runDir.toString(), "--context", "1G", "true");
    line.set(1, command.toString());
    Process run = new ProcessBuilder(line).start();
    assertEquals(
        "schedgpu: no GPU: true is run unscheduled\n",
        new String(run.getErrorStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
    assertEquals(0, run.waitFor());
    assertEquals("setup --run-dir " + runDir + " --context 1G\n", Files.readString(seen));
  }

  /** Its owner has ended, and this process has its number now. */
  @Test
  void runLeavesAnOlderJobOfItsNumberAlone() throws Exception {
    Path seen = folder.resolve("seen");
    List<String> words =
        new java.util.ArrayList<>(List.of("sh", "-c", "read line; exec \"$@\"", "-"));
    words.addAll(
        RunProgram.line(
            "run", "--run-dir", runDir.toString(), "sh", "-c", "echo $SCHEDGPU_JOB > " + seen));
    Process run = new ProcessBuilder(words).start();
    long pid = run.pid();
    try (SchedGpu region = SchedGpu.open(runDir)) {
      region.jobBegin(
          new JobSpec(
              JobKind.RUN,
              pid,
              54321,
              50,
              Mode.ONDEMAND,
              1,
              false,
              JobSpec.FOREVER,
              new TreeMap<>(Map.of(0, 0L)),
              "older"));
      run.getOutputStream().write('\n');
      run.getOutputStream().close();

      assertEquals(0, run.waitFor());

      assertEquals("run:" + (pid + (1 << 22)) + "\n", Files.readString(seen));
      assertEquals(54321, region.jobFind(JobKind.RUN, pid).orElseThrow().uid());
      assertTrue(region.jobEnd(JobKind.RUN, pid));
    }
  }

  @Test
  void runTellsTheSignalThatEndedTheCommand() {
    assertEquals(143, node("run", "--mem", "1G", "sh", "-c", "kill -TERM $$").exitCode());
  }

  /** {@code schedgpu run} as a process of its own, with the streams of a command. */
  private Process startRun(String... rest) throws IOException {
    List<String> words = RunProgram.line("run", "--run-dir", runDir.toString());
    words.addAll(List.of(rest));
    return new ProcessBuilder(words).redirectError(folder.resolve("stderr").toFile()).start();
  }

  /** The command's own trap decides, not the end of the process that started it. */
  @Test
  void runForwardsASignal() throws IOException, InterruptedException {
    Process run =
        startRun(
            "--mem",
            "1G",
            "sh",
            "-c",
            "trap 'exit 9' TERM; echo ready; for i in $(seq 30000); do sleep 0.02; done");
    assertEquals('r', run.getInputStream().read());
    assertTrue(node("status").out().contains("run:" + run.pid() + " "));
    run.destroy();
    assertEquals(9, run.waitFor());
    assertTrue(node("status").out().contains("0 jobs"));
  }

  /** A command without our library that runs until its stdin ends. */
  private Process startGate(String mem) throws IOException {
    return startRun(
        "--mode", "gate", "--mem", mem, "sh", "-c", "echo \"ready:$LD_PRELOAD\"; read line");
  }

  @Test
  void behindAGateTheBudgetIsReservedBeforeTheCommandRuns() throws IOException {
    Process run = startGate("10G");
    try (java.io.BufferedReader output = run.inputReader()) {
      assertEquals("ready:", output.readLine());
    }
    String status = node("status").out();
    assertTrue(status.contains("gate       0   10.0     10.0    0.0     0.3"), status);
    assertEquals(1, node("run", "--mode", "gate", "--mem", "6G", "--wait", "0", "true").exitCode());
    assertEquals(
        1, node("run", "--mode", "gate", "--mem", "6G", "--wait", "1ms", "true").exitCode());
    run.getOutputStream().close();
    assertEquals(
        1, run.onExit().join().exitValue()); // the status of `read` at the end of its input
    assertTrue(node("status").out().contains("0 jobs"));
  }

  @Test
  void whoWaitsAtTheGateIsShownAndEndedByASignalAtOnce() throws Exception {
    Process first = startGate("10G");
    assertEquals('r', first.getInputStream().read());
    Process second = startGate("6G");
    TestNode.await(
        "1 waiting",
        () -> {
          assertTrue(second.isAlive(), () -> node("status").out());
          return node("status").out().contains("1 waiting");
        });
    String status = node("status").out();
    assertTrue(status.matches("(?s).*\n  0     1 run:" + second.pid() + " +gate +6.0 .*"), status);
    assertTrue(node("status", "--json").out().contains("\"for\": \"gate\""));
    assertEquals(0, new ProcessBuilder("kill", Long.toString(second.pid())).start().waitFor());
    assertEquals(143, second.waitFor()); // the process that runs the tests may ignore SIGINT
    assertTrue(node("status").out().contains("1 job, 0 waiting"));
    first.getOutputStream().close();
    first.waitFor();
    String told = Files.readString(folder.resolve("stderr"));
    assertTrue(told.startsWith("schedgpu: waiting for 6.0 GiB on device 0, "), told);
    assertEquals(1, told.lines().count(), told);
  }

  @Test
  void aGateNeedsNoLibraryForTheCommand() throws IOException {
    Files.writeString(folder.resolve("schedgpu.conf"), "PreloadLibrary=/no/p.so\n");
    assertEquals(
        new Cli(5, "", ""),
        node("run", "--mode", "gate", "--mem", "1G", "--", "sh", "-c", "exit 5"));
  }

  @Test
  void overflowMayWaitInModePeak() {
    assertEquals(0, node("run", "--overflow", "wait", "--mem", "1G", "--", "true").exitCode());
    assertEquals(0, node("run", "--overflow", "fail", "--", "true").exitCode());
  }

  @Test
  void aLaneJobHasItsPolicyAndTheModule() throws IOException {
    Files.writeString(folder.resolve("schedgpu.conf"), "PythonPath=/opt/modules\n");
    String say = "echo $SCHEDGPU_LANE $PYTHONPATH";
    assertEquals(
        new Cli(0, "fair /opt/modules\n", ""),
        node("run", "--lane", "--mem", "1G", "--persistent", "256M", "--", "sh", "-c", say));
    assertEquals(
        new Cli(0, "srtf /opt/modules\n", ""),
        node(
            "run",
            "--lane=srtf",
            "--mem",
            "1G",
            "--persistent",
            "2%",
            "--length",
            "2h",
            "sh",
            "-c",
            say));
    assertEquals(
        new Cli(0, "\n", ""), node("run", "--lane=none", "--mem", "1G", "--", "sh", "-c", say));
  }

  @Test
  void aSiteWithoutLanesRefusesThem() throws IOException {
    Files.writeString(folder.resolve("schedgpu.conf"), "Lanes=no\n");
    Cli lane = node("run", "--lane", "--mem", "1G", "--", "true");
    assertEquals(2, lane.exitCode());
    assertTrue(lane.err().contains("--lane=fair: this site has no lanes (Lanes=no)"), lane::err);
  }

  @Test
  void theContextsOfAllProcessesAreReserved() {
    String rest = 15 * 1024 - 4 * 256 + "M";
    assertEquals(0, node("run", "--processes", "4", "--mem", rest, "--", "true").exitCode());
    assertEquals(2, node("run", "--processes", "5", "--mem", rest, "--", "true").exitCode());
    assertEquals(0, node("run", "--processes", "5", "--mem", "100%", "--", "true").exitCode());
    Cli many = node("run", "--processes", "61", "--", "true");
    assertEquals(2, many.exitCode());
    assertTrue(
        many.err()
            .contains(
                "--processes=61 is more than device 0 has room for: 15.0 GiB for jobs, a CUDA"
                    + " context takes 0.3 GiB: at most 60"),
        many::err);
  }

  @Test
  void aPercentageIsCappedToWhatAJobCanHave() {
    String all = 15 * 1024 - 256 + "M";
    assertEquals(2, node("run", "--mem", 15 * 1024 - 255 + "M", "--", "true").exitCode());
    assertEquals(0, node("run", "--mem", all, "--", "true").exitCode());
    assertEquals(0, node("run", "--mem", "100%", "--", "true").exitCode());
  }

  @Test
  void theSitesLimitsHold() throws IOException {
    Files.writeString(
        folder.resolve("schedgpu.conf"), "MaxMem=50%\nDefaultMem=25%\nMaxPriority=60\n");
    assertEquals(0, node("run", "--mem", "8G", "--", "true").exitCode());
    assertEquals(0, node("run", "--mem", "50%", "--", "true").exitCode());
    assertEquals(2, node("run", "--mem", "8193M", "--", "true").exitCode());
    assertEquals(2, node("run", "--mem", "51%", "--", "true").exitCode());
    assertEquals(0, node("run", "--mode", "peak", "--", "true").exitCode());
    assertEquals( // also for root, as in the prolog
        "schedgpu: priority 61 is lowered to MaxPriority 60\n",
        node("run", "--mem", "1G", "--priority", "61", "--", "true").err());
  }

  @Test
  void optionsBehindTheCommandAreItsOwn() {
    assertEquals(4, node("run", "--mem", "1G", "sh", "-c", "exit $1", "--mem", "4").exitCode());
  }

  @Test
  void runWithoutTheCommandSaysSo() {
    Cli cli = node("run", "--mem", "1G", "--", "/no/such/command");
    assertEquals(127, cli.exitCode());
    assertEquals(
        "schedgpu: /no/such/command: there is no such command: check the path\n", cli.err());
    assertEquals(126, node("run", "--mem", "1G", "--", "/etc/passwd").exitCode());
  }

  @Test
  void whatCannotBeIsRefusedEvenIfFailuresAreNot() throws IOException {
    for (List<String> wrong :
        List.of(
            List.of("--mem", "15G"),
            List.of("--mem", "a lot"),
            List.of("--mem", "0"),
            List.of("--mem", "1G", "--device", "2"),
            List.of("--mem", "1G", "--priority", "101"),
            List.of("--mem", "1G", "--wait", "soon"),
            List.of("--mem", "1G", "--processes", "0"),
            List.of("--mem", "1G", "--processes", "1025"),
            List.of("--mem", "1G", "--processes", "two"),
            List.of("--mode", "gate"),
            List.of("--overflow", "never", "--mem", "1G"),
            List.of("--overflow", "wait"),
            List.of("--overflow", "wait", "--mode", "gate", "--mem", "1G"),
            List.of("--overflow", "wait", "--mode", "ondemand", "--mem", "1G"),
            List.of("--lane"),
            List.of("--lane=quick", "--mem", "1G"),
            List.of("--lane", "--mem", "1G", "--mode", "gate"),
            List.of("--lane", "--mem", "1G", "--mode", "ondemand"),
            List.of("--lane", "--mem", "1G", "--overflow", "wait"),
            List.of("--lane", "--mem", "1G", "--device", "0,1"),
            List.of("--lane", "--mem", "1G", "--persistent", "2G"),
            List.of("--lane", "--mem", "1G", "--length", "forever"),
            List.of("--persistent", "1G", "--mem", "2G"),
            List.of("--mode", "peak"))) {
      Path trace = folder.resolve("trace");
      List<String> rest = new java.util.ArrayList<>(wrong);
      rest.addAll(List.of("--", "touch", trace.toString()));
      assertEquals(2, node("run", rest.toArray(new String[0])).exitCode(), wrong::toString);
      assertFalse(Files.exists(trace), wrong::toString);
    }
  }

  @Test
  void whatTheNodeCannotDoIsAsTheUserChose() throws IOException {
    Files.writeString(folder.resolve("schedgpu.conf"), "PreloadLibrary=/no/p.so\n");
    String reason = "schedgpu: /no/p.so: no readable library: install libschedgpu, or set";
    Cli run = node("run", "--mem", "1G", "--", "sh", "-c", "exit 5");
    assertEquals(5, run.exitCode());
    assertTrue(run.err().startsWith(reason), run::err);
    assertTrue(run.err().endsWith(": sh is run unscheduled\n"), run::err);
    Cli refuse = node("run", "--mem", "1G", "--on-failure", "refuse", "--", "sh", "-c", "exit 5");
    assertEquals(1, refuse.exitCode());
    assertTrue(refuse.err().endsWith(": sh is not run, as --on-failure is refuse\n"), refuse::err);
    Files.writeString(
        folder.resolve("schedgpu.conf"), "PreloadLibrary=/no/p.so\nOnFailure=refuse\n");
    assertEquals(1, node("run", "--mem", "1G", "--", "sh", "-c", "exit 5").exitCode());
  }

  @Test
  void theRegionIsRemovedUnlessItIsUsed() throws IOException {
    for (String name : List.of("learned", "learned.persistent", "learned.new", "limits")) {
      Files.writeString(runDir.resolve(name), "of the agent\n");
    }
    assertEquals(2, node("setup", "--force").exitCode());
    try (SchedGpu user = SchedGpu.open(runDir)) {
      user.reap();
      Cli refused = node("setup", "--remove");
      assertEquals(1, refused.exitCode());
      assertTrue(refused.err().contains("live processes use the region"), refused::err);
    }
    assertEquals(new Cli(0, runDir + ": removed\n", ""), node("setup", "--remove"));
    assertEquals(List.of(), List.of(runDir.toFile().list()));
    assertEquals(
        new Cli(0, runDir + ": there was no region\n", ""), node("setup", "--remove", "--force"));
    assertEquals(3, node("reap").exitCode());
  }

  @Test
  void theDoctorLooksAtEverything() {
    Cli cli = node("doctor");
    for (String line :
        List.of(
            "ok    library ",
            "ok    region   version ",
            ", policy mmu, 2 devices, 0 jobs\n",
            "ok    segment  shmid ",
            " rwrwrw ",
            "ok    repair   no damage so far",
            "ok    access   " + runDir + "/live rw-rw-rw-")) {
      assertTrue(cli.out().contains(line), cli::out);
    }
    assertTrue(node("doctor", "--json").out().contains("\"check\": \"library\""));
  }
}
