package org.schedgpu.simulator.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.schedgpu.gres.common.Json;
import org.schedgpu.jna.Policy;
import picocli.CommandLine;

class SimulateCommandTest {
  private static final Path INPUTS = Path.of("src", "test", "resources");

  private record Cli(int exitCode, String out, String err) {}

  private static Cli run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new SimulateCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .setParameterExceptionHandler(
                (problem, words) -> {
                  err.append(problem.getMessage());
                  return 2;
                })
            .setExecutionExceptionHandler(
                (problem, command, result) -> {
                  err.append(problem.getMessage());
                  return 1;
                })
            .execute(args);
    return new Cli(exitCode, out.toString(), err.toString());
  }

  private static Cli sacct(String... more) {
    List<String> words =
        new ArrayList<>(
            List.of(
                "--sacct=" + INPUTS.resolve("sacct.txt"),
                "--nodes=" + INPUTS.resolve("nodes.txt"),
                "--gpu-mem=80G",
                "--mem-default=12G",
                "--busy=40"));
    for (String word : more) {
      words.removeIf(other -> other.split("=", 2)[0].equals(word.split("=", 2)[0]));
      words.add(word);
    }
    words.removeIf(word -> word.endsWith("=none"));
    return run(words.toArray(new String[0]));
  }

  @Test
  void theTableIsAtMost80ColumnsWideAndSaysWhatWasAssumedAndLeftOut() {
    Cli cli = sacct("--overbook=1.5", "--policy=fifo,mmu");
    assertEquals("", cli.err());
    cli.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
    for (String text :
        List.of(
            "522 jobs on 2 nodes with 8 GPUs\n",
            "assumed: each job needs 12G on each GPU",
            "left out: 1 of 524 lines: has no GPU: line 525 (job 624)\n",
            "left out: 1 of 524 lines: has not ended: line 524 (job 623)\n",
            "\nexclusive ",
            "\nshares 8 mmu ",
            "\nmemory x1.50 mmu ",
            "\nrecommended: shares 2 fifo: jobs end ")) {
      assertTrue(cli.out().contains(text), text + cli.out());
    }
  }

  @Test
  void allPoliciesCanBePlayedAndItIsSaidThatPrioritiesAreNotKnown() {
    String out = sacct("--per-gpu=2", "--policy=all").out();
    for (Policy policy : Policy.values()) {
      assertTrue(out.contains("\nshares 2 " + policy.text() + " "), policy + out);
    }
    String note = "assumed: all jobs have the same priority on their nodes";
    assertTrue(out.contains(note), out);
    assertFalse(sacct("--per-gpu=2", "--policy=fifo,mmu").out().contains(note));
  }

  @Test
  void theSameAgainGivesTheSameBytesWhateverTheThreads() {
    String once = sacct("--json", "--threads=1").out();
    assertFalse(once.isEmpty());
    assertEquals(once, sacct("--json", "--threads=4").out());
  }

  @Test
  void jsonHasWhatTheTableHas() {
    var answer = Json.read(sacct("--json", "--per-gpu=2").out(), Map.class, "answer");
    assertEquals(522, answer.get("jobs"));
    assertEquals(2, ((List<?>) answer.get("summaries")).size());
  }

  @Test
  void thePageAndThePictureAreWrittenBesideTheTable(@TempDir Path folder) throws IOException {
    Path page = folder.resolve("a.html");
    Path picture = folder.resolve("a.png");
    Cli cli = sacct("--per-gpu=2", "--html=" + page, "--png=" + picture);
    assertEquals(sacct("--per-gpu=2"), cli);
    assertTrue(Files.readString(page).contains("<th scope=\"row\">shares 2 fifo</th>"));
    assertTrue(Files.size(picture) > 1000);
    Files.delete(page);
    Files.delete(picture);
    assertEquals(0, folder.toFile().list().length);
  }

  /** As the tasks and the merger of a job array call it. */
  @Test
  void tasksWriteShardsAndTheMergerGivesTheAnswerOfOneRun(@TempDir Path folder) throws IOException {
    Path sweep = Files.createDirectory(folder.resolve("sweep"));
    String[] same = {"--per-gpu=2,4", "--slurm=" + sweep};
    Cli second = sacct(same[0], same[1], "--slurm-task=2");
    assertEquals(new Cli(0, "played: shares 4 fifo\n", ""), second);
    Cli early = sacct(same[0], same[1], "--slurm-merge=3");
    assertEquals(
        "schedgpu: simulate: not played in 3 attempts: shares 2 fifo: see the files task-*.log in "
            + sweep
            + ", and call it again",
        early.err());
    sacct(same[0], same[1], "--slurm-task=1");
    Cli merged = sacct(same[0], same[1], "--slurm-merge=1");
    Cli direct = sacct("--per-gpu=2,4");
    assertEquals(direct, merged);
    assertEquals(direct.out(), Files.readString(sweep.resolve("result.txt")));
    String json = Files.readString(sweep.resolve("result.json"));
    assertEquals(sacct("--per-gpu=2,4", "--json").out(), json);
    assertEquals(direct, sacct(same));
    assertEquals(json, Files.readString(sweep.resolve("result.json")));
    assertEquals(
        "schedgpu: simulate: there is no task 3 of 2: submit again with --slurm",
        sacct(same[0], same[1], "--slurm-task=3").err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "--mem-default=none; 2; Missing required option: '--mem-default=SIZE'",
        "--gpu-mem=none; 2; Missing required option: '--gpu-mem=[TYPE=]SIZE'",
        "--sbatch=-p x; 2; --sbatch needs --slurm",
        "--sacct=none; 2; one of --sacct, --history and --trace is needed",
        "--history=h; 2; --history beside --sacct needs --mem-from history",
        "--mem-from=history; 2; --mem-from history needs --history",
        "--mem-from=guess; 2; --mem-from guess is not history",
        "--trace=openc; 2; --trace openc is not openb",
        "--trace=openb; 2; --trace needs --trace-dir",
        "--busy=none; 2; --sacct needs --busy, 1 to 100",
        "--busy=0; 2; --sacct needs --busy, 1 to 100",
        "--nodes=none; 2; --sacct needs --nodes",
        "--order=lifo; 2; --order lifo is none of fifo, priority",
        "--place=here; 2; --place here is none of pack, first, spread",
        "--release=new; 2; --release new is no release of Slurm, such as 25.05",
        "--threads=0; 2; --threads 0 is not 1 to 1024",
        "--overtake-limit=-1; 2; --overtake-limit -1 is less than 0",
        "--mem-default=0; 2; --mem-default 0 is no memory at all",
        "--per-gpu=0; 1; schedgpu: simulate: --per-gpu 0 is not 1 to 32: give numbers or ranges:"
            + " 2,4..8",
        "--per-gpu=4..2; 1; schedgpu: simulate: --per-gpu 4..2 is not 1 to 32: give numbers or"
            + " ranges: 2,4..8",
        "--overbook=0.5; 1; schedgpu: simulate: --overbook 0.5 is not 1 to 10: give factors:"
            + " 1,1.5,2",
        "--policy=lifo; 1; schedgpu: simulate: --policy lifo is no policy: give some of"
            + " POLICIES, or all",
        "--png=/no/a.png; 1; schedgpu: simulate: /no/a.png: cannot be written (it is not there):"
            + " choose another place",
        "--sacct=/no; 1; schedgpu: simulate: /no: there is no such file: check the path",
        "--mem-default=90G; 1; schedgpu: simulate: no job of 524 lines can be played (522: fits on"
            + " no nodes of this cluster): check the inputs and --mem-default",
      })
  void whatIsWrongIsSaid(String word, int exitCode, String message) {
    String policies =
        Arrays.stream(Policy.values()).map(Policy::text).collect(Collectors.joining(","));
    assertEquals(new Cli(exitCode, "", message.replace("POLICIES", policies)), sacct(word));
  }

  @Test
  void jobsAndMemoryOfAHistoryArePlayed(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("n1.json"),
            """
            {"jobs": [{"job": "slurm:101", "kind": "slurm", "id": 101, "state": "ended",
              "begunNs": 1793523998000000000, "endedNs": 1793533998000000000, "waitedNs": 0,
              "devices": [{"device": 0, "requestedBytes": 0, "peakBytes": 6442450944}]}],
             "missedJobs": 0}
            """);
    Cli alone = sacct("--sacct=none", "--history=" + file, "--per-gpu=2");
    assertEquals("", alone.err());
    assertTrue(alone.out().startsWith("1 job on 2 nodes with 8 GPUs\n"), alone.out());
    assertTrue(alone.out().contains("assumed: 1 of 1 jobs need the most that they"), alone.out());
    assertTrue(alone.out().contains("assumed: jobs come when they began on their"), alone.out());
    Cli beside = sacct("--history=" + file, "--mem-from=history", "--per-gpu=2");
    assertTrue(beside.out().contains("assumed: 1 of 522 jobs need the most"), beside.out());
    assertTrue(beside.out().contains("assumed: other jobs need 12G on each GPU"), beside.out());
    Cli tooLarge =
        sacct("--history=" + file, "--mem-from=history", "--per-gpu=2", "--mem-default=90G");
    assertTrue(tooLarge.out().startsWith("1 job on 2 nodes with 8 GPUs\n"), tooLarge.out());
    Cli toSmall = sacct("--sacct=none", "--history=" + file, "--gpu-mem=4G", "--mem-default=1G");
    assertEquals(
        "schedgpu: simulate: no job of 1 lines can be played (1: fits on no nodes of this"
            + " cluster): check the inputs and --mem-default",
        toSmall.err());
  }

  private static String json(String text) {
    return text.replaceAll("\\s+", "");
  }

  /** The first lines, JSON, the page: nobody takes a part of the cluster for all of it. */
  @Test
  void whatIsNotTheClusterOfTheSiteIsSaidFirst(@TempDir Path folder) throws IOException {
    String nodes = Files.readString(INPUTS.resolve("nodes.txt"));
    String more =
        nodes
            .lines()
            .skip(1)
            .findFirst()
            .orElseThrow()
            .replaceFirst("NodeName=\\S+", "NodeName=two");
    Path file =
        Files.writeString(
            folder.resolve("nodes.txt"),
            "\uFEFF"
                + nodes.replaceFirst("(NodeName=gpu1 .*State=)\\S+", "$1DOWN+DRAIN")
                + more.replaceFirst("Gres=\\S+", "Gres=gpu:a100:2,gpu:2080ti:2")
                + "\n");
    Path page = folder.resolve("a.html");
    String[] words = {"--nodes=" + file, "--per-gpu=2", "--html=" + page};
    Cli cli = sacct(words);
    assertEquals("", cli.err());
    List<String> first = cli.out().lines().limit(2).toList();
    assertEquals("522 jobs on 2 nodes with 8 GPUs", first.get(0));
    assertTrue(
        first.get(1).matches("left out: 1 of \\d+ nodes: has GPUs of .* types: two"), first.get(1));
    String down = "assumed: 1 of 2 nodes run jobs although they start none at present";
    assertTrue(cli.out().contains(down), cli.out());
    assertTrue(Files.readString(page).contains("has GPUs of several types: two</li>"));
    String answer = json(sacct(words[0], words[1], "--json").out());
    assertTrue(answer.contains("\"nodesLeftOut\":{\"hasGPUsofseveraltypes\":{\"lines\":1"), answer);
    assertTrue(answer.contains("(DOWN+DRAIN)\"]"), answer);
  }

  @Test
  void threeOfManyNodesThatAreDownAreNamed(@TempDir Path folder) throws IOException {
    String node = Files.readAllLines(INPUTS.resolve("nodes.txt")).get(1);
    StringBuilder nodes = new StringBuilder();
    for (int i = 1; i <= 4; i++) {
      nodes.append(
          node.replaceFirst("NodeName=\\S+", "NodeName=g" + i)
              .replaceFirst("State=\\S+", i == 1 ? "State=IDLE" : "State=DOWN"));
      nodes.append('\n');
    }
    Path file = Files.writeString(folder.resolve("nodes.txt"), nodes);
    String three =
        "3 of 4 nodes run jobs although they start none at present (g2 (DOWN), g3 (DOWN), g4"
            + " (DOWN)): delete";
    String[] words = {"--nodes=" + file, "--per-gpu=2", "--json"};
    assertTrue(sacct(words).out().contains(three));
    Files.writeString(file, nodes.toString().replace("IDLE", "DOWN"));
    String four =
        "4 of 4 nodes run jobs although they start none at present (g1 (DOWN), g2 (DOWN), g3"
            + " (DOWN), ...): delete";
    assertTrue(sacct(words).out().contains(four));
  }

  private static String line(int job, int minutes, int gpus) {
    String tres = "cpu=1,gres/gpu=%d,mem=1G,node=1".formatted(gpus);
    int start = 1_000_000 + job;
    return "%d|%d|%2$d|%2$d|%d|%d|%d|1|0|%s|%6$s|COMPLETED\n"
        .formatted(job, start, start + 60 * minutes, 60 * minutes, minutes, tres);
  }

  /**
   * Jobs end in 10 and 60 minutes on the node that is kept, and in 65 on the other. The last job
   * would be on it for 62: up to Slurm 24.11 it may.
   */
  @Test
  void nodesAreKeptAsTheReleaseKeepsThem(@TempDir Path folder) throws IOException {
    String head =
        "JobID|Submit|Eligible|Start|End|ElapsedRaw|TimelimitRaw|NNodes|Priority|ReqTRES|AllocTRES"
            + "|State\n";
    Path jobs =
        Files.writeString(
            folder.resolve("jobs.txt"),
            head
                + line(1, 10, 1)
                + line(2, 60, 1)
                + line(3, 65, 3)
                + line(4, 5, 3)
                + line(5, 62, 1));
    String nodes =
        "NodeName=g1 CPUTot=8 Gres=gpu:3 RealMemory=9000\n"
            + "NodeName=g2 CPUTot=8 Gres=gpu:3 RealMemory=9000\n";
    Path some = Files.writeString(folder.resolve("nodes.txt"), nodes);
    Path newer =
        Files.writeString(
            folder.resolve("newer.txt"), nodes.replace("CPUTot", "Version=25.05.8 CPUTot"));
    String before = played(jobs, some, "--release=24.11");
    String since = played(jobs, some, "--release=25.05");
    assertNotEquals(before, since);
    assertEquals(before, played(jobs, some, "--place=pack"));
    assertEquals(since, played(jobs, newer, "--place=pack"));
    assertEquals(before, played(jobs, newer, "--release=24.11"));
    assertEquals(
        played(jobs, newer, "--place=first"),
        played(jobs, some, "--place=first", "--release=24.11"));
  }

  private static String played(Path jobs, Path nodes, String... more) {
    List<String> words = new ArrayList<>(List.of(more));
    words.addAll(List.of("--sacct=" + jobs, "--nodes=" + nodes, "--per-gpu=2", "--json"));
    Cli cli = sacct(words.toArray(new String[0]));
    assertEquals("", cli.err());
    return cli.out();
  }

  @Test
  void jobsWithoutGpusAreAHintAtTheAccounting(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("jobs.txt"),
            Files.readString(INPUTS.resolve("sacct.txt")).replaceAll("gres/gpu[^=]*=", "x="));
    assertTrue(
        sacct("--sacct=" + file)
            .err()
            .endsWith("sacct knows GPUs only if slurm.conf has AccountingStorageTRES=gres/gpu"));
  }

  @Test
  void aJobArrayCannotReadStdin() {
    assertEquals(
        new Cli(2, "", "--slurm cannot read the jobs from stdin: give a file that all nodes share"),
        sacct("--sacct=-", "--slurm=sweep"));
  }

  /** The trace is not part of the repository. */
  @Test
  void theTraceOpenbIsPlayed() {
    Path folder =
        Path.of(
            System.getProperty(
                "schedgpu.openb", System.getenv().getOrDefault("SCHEDGPU_OPENB", "")));
    assumeTrue(
        Files.isRegularFile(folder.resolve("openb_pod_list_default.csv")),
        "set SCHEDGPU_OPENB to the folder of openb_pod_list_default.csv");
    Cli cli =
        run(
            "--trace=openb",
            "--trace-dir=" + folder,
            "--gpu-mem=16G,V100M32=32G,G2=32G,G3=80G,A10=24G",
            "--mem-default=6G",
            "--per-gpu=2");
    assertEquals("", cli.err());
    assertTrue(cli.out().startsWith("6203 jobs on 1213 nodes with 6212 GPUs\n"), cli.out());
  }

  @Test
  void aSmallTraceIsPlayed(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("openb_node_list_gpu_node.csv"),
        "sn,cpu_milli,memory_mib,gpu,model\nn0,64000,262144,2,P100\n");
    Files.writeString(
        folder.resolve("openb_pod_list_default.csv"),
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
            + "deletion_time,scheduled_time\n"
            + "a,6000,12288,1,460,,LS,Running,10,110,20\n"
            + "b,6000,12288,1,1000,P100|T4,BE,Failed,11,111,11\n"
            + "c,6000,12288,1,1000,T4,BE,Failed,11,111,11\n"
            + "d,6000,12288,0,0,,LS,Running,10,110,20\n"
            + "e,6000,12288,1,100,,LS,Pending,10,,\n"
            + "f,x,12288,1,100,,LS,Running,10,110,20\n");
    Cli cli =
        run("--trace=openb", "--trace-dir=" + folder, "--gpu-mem=P100=16G", "--mem-default=6G");
    assertEquals("", cli.err());
    for (String text :
        List.of(
            "2 jobs on 1 node with 2 GPUs\n",
            "left out: 1 of 6 lines: needs GPUs of a type that no played node has: line 4\n",
            "left out: 1 of 6 lines: has a number that cannot be read: line 7 (f)\n",
            "left out: 1 of 6 lines: has no GPU: line 5 (d)\n",
            "left out: 1 of 6 lines: never began: line 6 (e)\n",
            "no recommendation: the jobs are of 1 days; 7 are needed")) {
      assertTrue(cli.out().contains(text), text + cli.out());
    }
  }
}
