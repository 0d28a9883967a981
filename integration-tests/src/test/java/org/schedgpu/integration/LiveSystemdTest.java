package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * schedgpu-agent.service, as `make install` leaves it, under a real systemd. What make links again
 * is discarded with the root of that systemd.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class LiveSystemdTest {
  private static final String UNIT = "schedgpu-agent";
  private static final String CONF = "/etc/schedgpu/schedgpu.conf";
  private static final String DROP_IN = "/run/systemd/system/schedgpu-agent.service.d/test.conf";
  private static final String EMULATOR = "/opt/emulator";
  private static final String NODE = "live-systemd";
  private static final String NOBODY = "65534";
  private static final int ENDED_BY_SIGTERM = 128 + 15;
  private static final Map<String, String> GPU =
      Map.of(
          "LD_LIBRARY_PATH", EMULATOR,
          "EMULATED_GPU_STATE", "/dev/shm/emulated-gpu",
          "EMULATED_GPU_MEM", "1200M",
          "EMULATED_GPU_CONTEXT", "16M",
          "EMULATED_GPU_LIMITS", "/dev/shm/limits",
          "JAVA_HOME", System.getProperty("java.home"));

  private LiveSystemd machine;
  private long job = 4710;

  @BeforeAll
  void install() throws Exception {
    machine = LiveSystemd.boot();
    machine.must("rm", "-rf", "/etc/schedgpu", "/var/lib/schedgpu", "/etc/slurm");
    machine.must("make", "-s", "-C", Build.root().toString(), "install-only");
    Files.createDirectories(machine.file(EMULATOR));
    List<Path> files = new ArrayList<>(Build.emulator());
    files.addAll(List.of(Build.gpuUser(), Build.emulatorCommand()));
    for (Path file : files) {
      Files.copy(file, machine.file(EMULATOR + "/" + file.getFileName()));
    }
    machine.write("/dev/shm/limits", "");
    StringBuilder environment = new StringBuilder("[Service]\n");
    GPU.forEach((name, value) -> environment.append("Environment=%s=%s\n".formatted(name, value)));
    machine.write("/etc/systemd/system/schedgpu-agent.service.d/gpu.conf", environment.toString());
    writeDevices();
  }

  private void writeDevices() throws Exception {
    String smi = machine.run(GPU, EMULATOR + "/emulated-gpu-smi").text();
    String uuid = smi.replaceAll("(?s).*(GPU-[0-9a-f-]{36}).*", "$1");
    machine.write(
        "/etc/schedgpu/devices.conf",
        ("NodeName=%s Device=0 UUID=%s File=/dev/nvidia0 TotalBytes=1258291200 ReservedBytes=0"
                + " ContextBytes=16777216 Virtual=0-3 Name=\"Emulated GPU 0\"\n")
            .formatted(NODE, uuid));
  }

  @AfterAll
  void end() throws Exception {
    if (machine != null) {
      machine.end();
    }
  }

  @BeforeEach
  void startAgent() throws Exception {
    Files.deleteIfExists(machine.file(DROP_IN));
    machine.write(CONF, "");
    machine.must("systemctl", "daemon-reload");
    machine.must("systemctl", "restart", UNIT);
  }

  private String show(String property) {
    return machine.must("systemctl", "show", "-P", property, UNIT);
  }

  /** Lines of this start of the agent. */
  private String journal(String priority) {
    return machine.must(
        "journalctl",
        "--no-pager",
        "-o",
        "cat",
        "-p",
        priority,
        "_SYSTEMD_INVOCATION_ID=" + show("InvocationID"));
  }

  private void awaitJournal(String priority, String text) {
    Eventually.that(
        text, () -> journal(priority).contains(text), () -> machine.must("journalctl", "-n", "60"));
  }

  private void awaitNewAgent(String old) {
    Eventually.that(
        "another agent than " + old,
        () -> !List.of(old, "0").contains(show("MainPID")) && show("ActiveState").equals("active"),
        () -> machine.must("journalctl", "-n", "60"));
  }

  /** Begins a job of mode peak, or with other options, with 400 MiB. */
  private long beginJob(String... more) throws Exception {
    job++;
    Map<String, String> environment =
        new HashMap<>(
            Map.of(
                "SLURMD_NODENAME",
                NODE,
                "SLURM_JOB_ID",
                Long.toString(job),
                "SLURM_JOB_UID",
                NOBODY,
                "SLURM_JOB_GPUS",
                "0",
                "SPANK_SCHEDGPU_MEM",
                "400M"));
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    LiveSystemd.Output output =
        machine.run(environment, "/usr/local/libexec/schedgpu/schedgpu-prolog");
    assertEquals(0, output.status(), output::text);
    return job;
  }

  /** A program of the job's user. */
  private Process startProgram(boolean caught, String... actions) throws Exception {
    Map<String, String> environment = new HashMap<>(GPU);
    environment.put("SCHEDGPU_JOB", "slurm:" + job);
    environment.put("SCHEDGPU_RUN_DIR", "/run/schedgpu");
    if (caught) {
      environment.put("LD_PRELOAD", "/usr/local/lib/libschedgpu-preload.so");
    }
    List<String> words =
        new ArrayList<>(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
    words.add(EMULATOR + "/gpu-user");
    words.addAll(List.of(actions));
    return machine.start(environment, words);
  }

  private long usedBytes() {
    JsonNode status = Json.parse(machine.must("schedgpu", "status", "--json"));
    return status.at("/devices/0/usedBytes").asLong();
  }

  @Test
  void readyMeansThatTheRegionIsThereAndNothingOfWhatItNeedsIsForbidden() throws Exception {
    assertEquals("active running", show("ActiveState") + " " + show("SubState"));
    assertEquals("Looks after 1 device in /run/schedgpu", show("StatusText"));
    assertTrue(Files.exists(machine.file("/run/schedgpu/region")));
    awaitJournal("info", "answers users at /run/schedgpu/sight.sock");
    beginJob();
    awaitJournal("info..info", "begin job=slurm:" + job + " user=nobody");
    machine.must("schedgpu", "end", "slurm:" + job);
    awaitJournal("info..info", "end job=slurm:" + job + " user=nobody");
    assertEquals(
        "600 644",
        machine.must("stat", "-c", "%a", "/var/lib/schedgpu/history.db")
            + " "
            + machine.must("stat", "-c", "%a", "/run/schedgpu/region"));
    assertEquals("", journal("warning"));
    assertEquals("0", show("StartLimitIntervalUSec")); // it never gives up
  }

  @Test
  void aJobKeepsWhatItHasWhileTheAgentIsKilledAndStopped() throws Exception {
    beginJob();
    Process program =
        startProgram(true, "alloc", "300", "touch", "/tmp/holds", "until", "/tmp/go-on");
    Eventually.exists(machine.file("/tmp/holds"), () -> machine.must("schedgpu", "status"));
    long held = usedBytes();
    assertNotEquals(0, held);
    String first = show("MainPID");
    machine.must("kill", "-KILL", first);
    awaitNewAgent(first);
    awaitJournal("info", "found job=slurm:" + job);
    assertEquals(held, usedBytes());
    machine.must("systemctl", "stop", UNIT);
    assertEquals(
        "inactive success 0",
        show("ActiveState") + " " + show("Result") + " " + show("ExecMainStatus"));
    assertEquals(held, usedBytes());
    machine.write("/tmp/go-on", "");
    assertEquals(0, program.waitFor());
    machine.must("schedgpu", "end", "slurm:" + job);
    assertEquals(0, usedBytes());
  }

  @Test
  void anAgentThatStandsStillIsReplaced() throws Exception {
    machine.write(DROP_IN, "[Service]\nWatchdogSec=4s\n");
    machine.must("systemctl", "daemon-reload");
    machine.must("systemctl", "restart", UNIT);
    String first = show("MainPID");
    machine.must("kill", "-STOP", first);
    awaitNewAgent(first);
    assertTrue(
        machine.must("journalctl", "-u", UNIT, "-o", "cat").contains("Watchdog timeout"),
        () -> machine.must("journalctl", "-u", UNIT));
  }

  @Test
  void reloadRefusesAFileThatIsWrongAndTakesOneThatIsRight() throws Exception {
    String agent = show("MainPID");
    machine.write(CONF, "LogLevel=debug\nWat=1\n");
    assertEquals(1, machine.run(Map.of(), "systemctl", "reload", UNIT).status());
    assertEquals("active " + agent, show("ActiveState") + " " + show("MainPID"));
    assertTrue(journal("err").contains(CONF + ":2: unknown key 'Wat'"), () -> journal("info"));
    machine.write(CONF, "LogLevel=debug\n");
    machine.must("systemctl", "reload", UNIT);
    awaitJournal("info", "configuration read again from " + CONF);
    assertEquals("active " + agent, show("ActiveState") + " " + show("MainPID"));
  }

  @Test
  void withAWrongFileItFailsOnceAndSaysWhy() throws Exception {
    machine.must("systemctl", "stop", UNIT);
    machine.write(CONF, "Wat=1\n");
    assertEquals(1, machine.run(Map.of(), "systemctl", "start", UNIT).status());
    assertEquals(
        "failed failed 78 0",
        show("ActiveState")
            + " "
            + show("SubState") // not auto-restart
            + " "
            + show("ExecMainStatus")
            + " "
            + show("NRestarts"));
    assertTrue(journal("err").contains(CONF + ":1: unknown key 'Wat'"), () -> journal("info"));
    machine.write(CONF, "");
    machine.must("systemctl", "start", UNIT);
  }

  /**
   * It reads /proc of another user's program, and ends the program; it finds the control group of
   * the user's job.
   */
  @Test
  void itEndsAProgramThatTakesTooMuchAndLimitsItsJobInTheDriver() throws Exception {
    machine.write(CONF, "OverrunAction=end\nOverrunEvery=200ms\n");
    machine.must("systemctl", "reload", UNIT);
    beginJob();
    String group = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_" + job;
    machine.must("mkdir", "-p", group);
    awaitJournal("info", "limit job=slurm:" + job + " device=0 bytes=");
    assertTrue(Files.readString(machine.file("/dev/shm/limits")).contains(group));
    Process program = startProgram(false, "alloc", "700", "until", "/tmp/never");
    awaitJournal("warning..warning", "end signal=TERM job=slurm:" + job);
    assertEquals(ENDED_BY_SIGTERM, program.waitFor());
    machine.must("schedgpu", "end", "slurm:" + job);
    machine.must("rmdir", group);
  }

  /** Debian's slurmd.service, which here only checks whether the region exists. */
  @Test
  void atBootTheRegionIsThereBeforeSlurmd() throws Exception {
    machine.write(
        "/etc/systemd/system/slurmd.service.d/test.conf",
        """
        [Unit]
        ConditionPathExists=
        [Service]
        Type=oneshot
        PIDFile=
        ExecStart=
        ExecReload=
        ExecStart=/usr/bin/test -e /run/schedgpu/region
        """);
    machine.must("systemctl", "stop", UNIT);
    machine.must("schedgpu", "setup", "--remove");
    machine.must("systemctl", "enable", UNIT, "slurmd");
    machine.must("systemctl", "start", "multi-user.target");
    assertEquals(
        "success 0",
        machine.must("systemctl", "show", "-P", "Result", "slurmd")
            + " "
            + machine.must("systemctl", "show", "-P", "ExecMainStatus", "slurmd"));
    assertEquals("active", show("ActiveState"));
  }

  /** As the page on the agent says. */
  @Test
  void otherFoldersNeedALineInADropIn() throws Exception {
    Path history = machine.file("/srv/schedgpu/history.db");
    Files.createDirectories(history.getParent());
    machine.write(CONF, "RunDir=/run/other\nHistoryFile=/srv/schedgpu/history.db\n");
    machine.write(DROP_IN, "[Service]\nRuntimeDirectory=other\nReadWritePaths=/srv/schedgpu\n");
    machine.must("systemctl", "daemon-reload");
    machine.must("systemctl", "restart", UNIT);
    assertTrue(Files.exists(machine.file("/run/other/region")));
    Eventually.exists(history, () -> journal("info"));
    assertEquals("", journal("warning"));
  }
}
