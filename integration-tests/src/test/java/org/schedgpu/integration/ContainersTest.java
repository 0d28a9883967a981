package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.minicluster.CommandResult;
import org.schedgpu.minicluster.JobState;

/**
 * Jobs whose programs run in containers of this host's runtimes share a device as others do. The
 * image is made of this host's files (src/test/sh/make-image).
 */
final class ContainersTest extends ContainersTestCase {
  /** The image that is made here, in the records. */
  private static final String THIS_SYSTEM = "this system's files";

  private static final List<String> IN_A_LANE =
      Stream.concat(MOST_OF_IT.stream(), Stream.of("--schedgpu-lane", "--schedgpu-persistent=50M"))
          .toList();

  private Path image;
  private Path cdi;

  @BeforeAll
  void makeImage() throws IOException {
    cluster.installation().copyCommand();
    image = cluster.slurm().paths().base().resolve("bundle/rootfs");
    List<String> words = new ArrayList<>();
    words.add(Build.root().resolve("integration-tests/src/test/sh/make-image").toString());
    words.add(image.toString());
    words.add(cluster.installation().gpuUser().toString());
    words.add(Build.library().toString());
    words.addAll(pythonFiles().subList(0, 2));
    Build.emulator().stream()
        .map(file -> cluster.installation().folder().resolve(file.getFileName()).toString())
        .forEach(words::add);
    cluster.slurm().run(words, Map.of(), null).orThrow();
    cdi = Files.createDirectories(cluster.slurm().paths().base().resolve("etc-with-cdi/cdi"));
    writeCdi();
    copyPythonModule();
  }

  private void copyPythonModule() throws IOException {
    Path copy = cluster.installation().folder().resolve("python");
    cluster
        .slurm()
        .run(List.of("cp", "-r", Build.root() + "/python/src", copy.toString()), Map.of(), null)
        .orThrow();
    Files.writeString(
        cluster.installation().schedgpuConf(),
        "PythonPath=" + copy + "\n",
        StandardOpenOption.APPEND);
  }

  private void writeCdi() throws IOException {
    List<String> words = new ArrayList<>(cluster.installation().command());
    words.addAll(List.of("container-options", "cdi"));
    Path slurmConf = cluster.installation().schedgpuConf().resolveSibling("slurm.conf");
    String text =
        cluster
            .slurm()
            .run(words, Map.of("SLURM_CONF", slurmConf.toString()), null)
            .orThrow()
            .stdout();
    Files.writeString(cdi.resolve("schedgpu.json"), text);
  }

  private String options(String runtime) {
    return "$(%s container-options %s)"
        .formatted(String.join(" ", cluster.installation().command()), runtime);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The command line of docs/how-to/containers.md that begins with these words. */
  private String shown(String begin, Path root, Object... actions) {
    String line =
        text(Page.named("how-to/containers.md"))
            .lines()
            .filter(l -> l.startsWith(begin))
            .findFirst()
            .orElseThrow(() -> new AssertionError("the page shows no " + begin));
    return line.replace(
            "$(schedgpu ", "$(" + String.join(" ", cluster.installation().command()) + " ")
        .replace("IMAGE", root.toString())
        .replace("./train", cluster.gpuUser(actions));
  }

  /** ch-run wants USER. */
  private String charliecloud(Object... actions) {
    return "USER=$(id -un) " + shown("ch-run ", image, actions);
  }

  /**
   * As far as this host allows it, where Slurm's control groups are of version 1. Podman reads
   * /etc/cdi: in its mount namespace that is ours.
   */
  private String podman(String begin, Object... actions) {
    Path storage = cluster.slurm().paths().base().resolve("podman");
    String volumes =
        Stream.of(cluster.slurm().paths().jobs(), cluster.slurm().paths().devices())
            .map(folder -> " --volume=%s:%s".formatted(folder, folder))
            .collect(Collectors.joining());
    String variables =
        cluster.jobEnvironment().keySet().stream()
            .sorted()
            .map(name -> " --env=" + name)
            .collect(Collectors.joining());
    return "unshare -m -C sh -c 'umount -R /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup;"
        + " mount -t overlay overlay -o lowerdir=%s:/etc /etc;".formatted(cdi.getParent())
        + " exec \"$@\"' sh "
        + shown(begin, image, actions)
            .replace(
                "podman run",
                "podman --root %s/root --runroot %s/run".formatted(storage, storage)
                    + " --storage-driver=vfs --runtime=crun --cgroup-manager=cgroupfs run --rm"
                    + " --network=none --cgroups=disabled --ulimit nofile=1024:1024 --ulimit"
                    + " nproc=1000:1000"
                    + volumes
                    + variables)
            .replace(" " + image + " ", " --rootfs " + image + " ");
  }

  @Test
  void theJobsEnvironmentHasWhatApptainerReads() {
    CommandResult result =
        alice()
            .run(
                List.of(
                    "srun",
                    "--gres=gpu:1",
                    "--schedgpu-mem=100M",
                    "--export=ALL,APPTAINER_BIND=/users",
                    "sh",
                    "-c",
                    "echo $APPTAINER_BIND; echo $SINGULARITY_BIND; echo $APPTAINERENV_LD_PRELOAD;"
                        + " echo $APPTAINERENV_SCHEDGPU_JOB = $SCHEDGPU_JOB"));
    List<String> lines = result.orThrow().stdout().lines().toList();
    Path library = cluster.installation().preloadLibrary();
    assertEquals("/users,%s,%s".formatted(library, cluster.runDir()), lines.get(0));
    assertEquals(lines.get(0), lines.get(1));
    assertEquals(library.toString(), lines.get(2));
    assertTrue(lines.get(3).matches("(slurm:\\d+) = \\1"), lines.get(3));
  }

  @Test
  void aGateNeedsNothing() {
    CommandResult result =
        alice()
            .run(
                List.of(
                    "srun",
                    "--gres=gpu:1",
                    "--schedgpu-mode=gate",
                    "--schedgpu-mem=100M",
                    "sh",
                    "-c",
                    "env; echo options: %s .".formatted(options("podman"))));
    String output = result.orThrow().stdout();
    assertTrue(output.contains("options: .\n"), output);
    assertFalse(output.contains("APPTAINER"), output);
  }

  @Test
  void inCharliecloudTheBudgetHolds() {
    need("ch-run");
    long job =
        cluster.sbatch(alice(), MOST_OF_IT, charliecloud("show", "info", "alloc", 700, "try", 200));
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    String output = cluster.output(job);
    assertTrue(output.contains("\"LD_PRELOAD\":\"/mnt/9/libschedgpu-preload.so\""), output);
    assertTrue(output.contains("\"SCHEDGPU_RUN_DIR\":\"/mnt/8\""), output);
    assertTrue(output.contains("\"totalMiB\":800"), output);
    assertTrue(output.contains("{\"tried\":2}"), output);
  }

  /** The proxy needs the driver by another name, as the container sees it. */
  @Test
  void inCharliecloudTheProxyHoldsTheBudgetToo() throws IOException {
    need("ch-run");
    Path proxy = Files.createDirectory(cluster.slurm().paths().base().resolve("proxy"));
    Files.copy(Build.library().resolveSibling("proxy/libcuda.so.1"), proxy.resolve("libcuda.so.1"));
    Path libraries = cluster.installation().folder();
    Files.createSymbolicLink(proxy.resolve("libcuda-real.so.1"), libraries.resolve("libcuda.so.1"));
    String options =
        " --unset-env=LD_PRELOAD --bind=%s:/mnt/5 --set-env=LD_LIBRARY_PATH=/mnt/5:%s "
            .formatted(proxy, libraries);
    String command = charliecloud("show", "info", "alloc", 700, "try", 200);
    long job =
        cluster.sbatch(
            alice(), MOST_OF_IT, command.replace(" " + image + " ", options + image + " "));
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    String output = cluster.output(job);
    assertFalse(output.contains("LD_PRELOAD"), output);
    assertTrue(output.contains("\"totalMiB\":800"), output);
    assertTrue(output.contains("{\"tried\":2}"), output);
  }

  /** The library prints nothing by itself: the status tells who waits. */
  @Test
  void programsInCharliecloudThatCallTheLibraryQueue() {
    need("ch-run");
    Path held = cluster.barrier("held");
    Path go = cluster.barrier("go");
    long holder =
        cluster.sbatch(
            alice(),
            MOST_OF_IT,
            charliecloud("reserve", 700, Build.library(), "touch", held, "until", go));
    Eventually.that(
        "the first holds its memory",
        () -> Files.exists(held) || cluster.slurm().jobState(holder).isFinished(),
        () -> cluster.output(holder) + cluster.situation());
    long waiter =
        cluster.sbatch(alice(), MOST_OF_IT, charliecloud("reserve", 700, Build.library()));
    Eventually.that(
        "the second waits",
        () -> cluster.status().at("/waiters/0/job").asText().equals("slurm:" + waiter),
        () -> cluster.output(waiter) + cluster.situation());
    cluster.open(go);
    assertEquals(JobState.COMPLETED, cluster.end(holder), () -> cluster.output(holder));
    assertEquals(JobState.COMPLETED, cluster.end(waiter), () -> cluster.output(waiter));
  }

  @Test
  void jobsInCharliecloudQueue() {
    need("ch-run");
    queue(alice(), this::charliecloud);
  }

  /**
   * Inside and outside. Where the preload library is loaded the module calls that one, else
   * libschedgpu.so.
   */
  @ParameterizedTest
  @ValueSource(strings = {"no container", "preload library", "libschedgpu.so"})
  void laneJobsOfThePythonModuleTakeTurns(String way) throws IOException {
    need("ch-run");
    Path held = cluster.barrier("held");
    Path go = cluster.barrier("go");
    Path turn = cluster.barrier("turn");
    long first = cluster.sbatch(alice(), IN_A_LANE, python(way, held, go, turn));
    Eventually.that(
        "the first has the turn",
        () -> Files.exists(held) || cluster.slurm().jobState(first).isFinished(),
        () -> cluster.output(first) + cluster.situation());
    assertTrue(Files.exists(held), () -> cluster.output(first));
    long second = cluster.sbatch(alice(), IN_A_LANE, python(way, turn, go, turn));
    Eventually.that(
        "the second waits for the turn",
        () ->
            cluster.status().at("/lanes/0/waiting").asInt() == 1
                || cluster.slurm().jobState(second).isFinished(),
        () -> cluster.output(first) + cluster.output(second) + cluster.situation());
    assertFalse(Files.exists(turn), "two had the turn");
    cluster.open(go); // both end only if the second has the turn while the first runs
    assertEquals(JobState.COMPLETED, cluster.end(first), () -> cluster.output(first));
    assertEquals(JobState.COMPLETED, cluster.end(second), () -> cluster.output(second));
    assertEquals("own_used_bytes 0\n", cluster.output(second));
  }

  /** A program of one iteration: it says so in a file, waits for another one, and then for one. */
  private String python(String way, Path entered, Path leave, Path after) throws IOException {
    Path script = cluster.installation().folder().resolve("lane/lane.py");
    Files.createDirectories(script.getParent()); // not beside the plugin, whose name is schedgpu.so
    Files.writeString(
        script,
        """
        import os, sys, time
        import schedgpu

        def wait(path):
            while not os.path.exists(path):
                time.sleep(0.01)

        with schedgpu.iteration():
            schedgpu.reserve(700 << 20)
            open(sys.argv[1], "w").close()
            wait(sys.argv[2])
            schedgpu.release(700 << 20)
        wait(sys.argv[3])
        print("own_used_bytes", schedgpu.info()["own_used_bytes"])
        """);
    List<String> paths = pythonFiles();
    String command = "%s %s %s %s %s".formatted(paths.get(0), script, entered, leave, after);
    if (way.equals("no container")) {
      return command;
    }
    Path library = cluster.installation().folder().resolve("library/libschedgpu.so.0");
    if (!Files.exists(library)) {
      Files.createDirectory(library.getParent());
      Files.copy(Build.library(), library);
    }
    String options = "--bind=%s:%s ".formatted(paths.get(2), paths.get(2));
    if (way.equals("libschedgpu.so")) {
      options +=
          "--unset-env=LD_PRELOAD --bind=%s:/mnt/5 --set-env=LD_LIBRARY_PATH=/mnt/5 "
              .formatted(library.getParent());
    }
    return charliecloud()
        .replace(cluster.gpuUser(), command)
        .replace(image + " ", options + image + " ");
  }

  /** On this host: Python, its module for ctypes, and the folder of all others. */
  private List<String> pythonFiles() {
    String asked =
        "import _ctypes, os, sys, sysconfig; print(os.path.realpath(sys.executable),"
            + " _ctypes.__file__, sysconfig.get_path('stdlib'), sep='\\n')";
    return cluster
        .slurm()
        .run(List.of("/usr/bin/python3", "-c", asked), Map.of(), null)
        .orThrow()
        .stdout()
        .lines()
        .toList();
  }

  /** Images that are shared by tests: what the program needs is bound, not copied. */
  @ParameterizedTest
  @ValueSource(strings = {"debian-11", "debian-12", "debian-13"})
  void jobsQueueInImagesOfDebian(String name) {
    need("ch-run");
    Path root = madeImage(name);
    queue(alice(), actions -> inImage(root, cluster.gpuUser(actions)));
    recordRun("Charliecloud", version("ch-run --version"), "", name, "two jobs queue");
  }

  /** The library cannot work there: one line at most, and the program runs. */
  @Test
  void aProgramOfMuslRunsAsIfWeWereNotThere() {
    need("ch-run");
    Path root = madeImage("musl");
    long job = cluster.sbatch(alice(), MOST_OF_IT, inImage(root, "/bin/hello"));
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    List<String> lines = cluster.output(job).lines().toList();
    assertTrue(lines.contains("hello of musl"), lines::toString);
    assertTrue(lines.size() <= 2, lines::toString);
    recordRun("Charliecloud", version("ch-run --version"), "", "musl", "runs unscheduled");
  }

  /**
   * The page's line; what only emulated GPUs need is bound at a folder that Debian's images have.
   */
  private String inImage(Path root, String command) {
    Path files = cluster.installation().folder();
    return "USER=$(id -un) LD_LIBRARY_PATH=/mnt/7 "
        + shown("ch-run ", root)
            .replace(
                "-- " + cluster.gpuUser(),
                "-b %s:/mnt/7 -b %s:/mnt/6 -- ".formatted(files, cluster.slurm().paths().jobs()))
        + command
            .replace(files.toString(), "/mnt/7")
            .replace(cluster.slurm().paths().jobs().toString(), "/mnt/6");
  }

  /** Both lines of the page: with the options, and with a CDI device. */
  @ParameterizedTest
  @ValueSource(strings = {"podman run $(", "podman run --ipc=host --device"})
  void jobsInPodmanQueue(String line) {
    need("podman");
    need("crun");
    queue(cluster.slurm().commands(), actions -> podman(line, actions));
    String way = line.contains("--device") ? "--device" : "";
    recordRun("Podman", version("podman --version"), way, THIS_SYSTEM, "two jobs queue");
  }

  /**
   * What a site writes into oci.conf, as far as this host allows it, where Slurm's control groups
   * are of version 1.
   */
  private void configureContainers(Path first) throws IOException {
    String run =
        shown("RunTimeRun=", image)
            .replace("/usr/local/share/doc/schedgpu/examples/oci/schedgpu-bundle", first + "")
            .replace(
                "exec crun ",
                "exec unshare -m -C sh -c 'umount -R /sys/fs/cgroup;"
                    + " mount -t cgroup2 cgroup2 /sys/fs/cgroup; exec crun ")
            .replaceFirst("\"$", "'\"");
    Files.write(
        cluster.slurm().paths().etc().resolve("oci.conf"),
        List.of(
            run,
            "RunTimeQuery=\"echo {}\"",
            "RunTimeKill=\"true\"",
            "RunTimeDelete=\"true\"")); // Slurm wants all of them
  }

  /** A bundle with the host's devices and IPC namespace, and the folders of the tests. */
  private Path bundle() throws IOException {
    Path folder = image.getParent();
    String mounts =
        Stream.of(
                cluster.slurm().paths().jobs().toString(),
                cluster.slurm().paths().devices().toString(),
                "/dev")
            .map(
                path ->
                    ", {\"destination\": \"%s\", \"source\": \"%s\", \"options\": [\"rbind\"]}"
                        .formatted(path, path))
            .collect(Collectors.joining());
    Files.writeString(
        folder.resolve("config.json"),
        """
        {"ociVersion": "1.0.0", "root": {"path": "rootfs"},
         "process": {"user": {"uid": 0, "gid": 0}, "cwd": "/"},
         "mounts": [{"destination": "/proc", "source": "proc", "type": "proc"}%s],
         "linux": {"namespaces": [{"type": "mount"}, {"type": "pid"}]}}
        """
            .formatted(mounts));
    return folder;
  }

  private CommandResult inBundle(Object... actions) throws IOException {
    List<String> words = new ArrayList<>(List.of("srun", "--container=" + bundle()));
    words.addAll(MOST_OF_IT);
    words.addAll(List.of("/bin/sh", "-c", cluster.gpuUser(actions))); // 26.05 looks for sh outside
    return cluster.slurm().commands().run(words);
  }

  /** Slurm 22.05 has written the environment of the container before the plugins change it. */
  @Test
  void aStepOfSlurmsOwnContainerIsScheduledWithoutABatchJob() throws IOException {
    need("crun");
    configureContainers(Build.root().resolve("etc/oci/schedgpu-bundle"));
    CommandResult result = inBundle("info", "alloc", 700, "try", 200);
    String output = result.orThrow().stdout();
    assertTrue(output.contains("\"totalMiB\":800"), output);
    assertTrue(output.contains("{\"tried\":2}"), output);
    assertFalse(result.stderr().contains("unscheduled"), result.stderr());
    recordRun(
        "Slurm's own", version("srun --version"), "--container", THIS_SYSTEM, "the budget holds");

    configureContainers(Path.of("true"));
    String told = inBundle("info").orThrow().stderr();
    assertTrue(told.contains("run unscheduled: oci.conf does not start schedgpu-bundle"), told);
  }

  /**
   * scrun starts srun without SLURM_CONF, so slurm.conf has to be in /etc/slurm: in its mount
   * namespace that is ours. It takes none of our options.
   */
  @Test
  void aContainerOfScrunIsScheduled() throws IOException {
    need("scrun");
    need("crun");
    configureContainers(Build.root().resolve("etc/oci/schedgpu-bundle"));
    Path etc = cluster.slurm().paths().etc();
    Files.writeString(
        etc.resolve("scrun.lua"),
        """
        function slurm_scrun_stage_in(...) return slurm.SUCCESS end
        function slurm_scrun_stage_out(...) return slurm.SUCCESS end
        return slurm.SUCCESS
        """);
    Files.createSymbolicLink(cdi.resolveSibling("slurm"), etc);
    Path config = bundle().resolve("config.json");
    String process =
        "\"args\": [\"%s\"], \"env\": [\"PATH=/usr/bin:/bin\", %s], \"cwd\""
            .formatted(
                String.join("\", \"", cluster.gpuUserWords("show", "alloc", 300)),
                cluster.jobEnvironment().entrySet().stream()
                    .map(entry -> "\"%s=%s\"".formatted(entry.getKey(), entry.getValue()))
                    .collect(Collectors.joining(", ")));
    Files.writeString(config, Files.readString(config).replace("\"cwd\"", process));
    Path output = cluster.slurm().paths().jobs().resolve("scrun.out");
    String scrun = "scrun --root=" + cluster.slurm().paths().base().resolve("scrun");
    String script =
        "mount -t overlay overlay -o lowerdir=%s:/etc /etc && export SCRUN_GRES=gpu:1"
            + " && %s create --bundle=%s one && %s start one";
    cluster
        .slurm()
        .commands()
        .run(
            List.of(
                "sh",
                "-c",
                "exec unshare -m sh -c \"$0\" >%s 2>&1".formatted(output),
                script.formatted(cdi.getParent(), scrun, config.getParent(), scrun)));
    Eventually.that(
        "the program has said what it sees",
        () -> text(output).contains("\"environment\""),
        () -> output + ": " + cluster.situation());
    String said = text(output);
    assertTrue(said.contains("\"SCHEDGPU_JOB\":\"slurm:"), said);
    Path library = cluster.installation().preloadLibrary();
    assertTrue(said.contains("\"LD_PRELOAD\":\"%s\"".formatted(library)), said);
    recordRun("Slurm's own", version("srun --version"), "scrun", THIS_SYSTEM, "is scheduled");
  }

  /** The plugin takes the job for one in a container: it is told so, and scheduled as always. */
  @Test
  void whoSetsSlurmsVariableHimselfIsScheduled() throws IOException {
    configureContainers(Path.of("true"));
    List<String> options = new ArrayList<>(MOST_OF_IT);
    options.add("--export=ALL,SLURM_CONTAINER=/nowhere");
    long job =
        cluster.sbatch(
            alice(),
            options,
            "echo in $SLURM_CONTAINER; " + cluster.gpuUser("info", "alloc", 700, "try", 200));
    assertEquals(JobState.COMPLETED, cluster.end(job), () -> cluster.output(job));
    String output = cluster.output(job);
    assertTrue(output.contains("in /nowhere"), output);
    assertTrue(output.contains("\"totalMiB\":800"), output);
    assertTrue(output.contains("{\"tried\":2}"), output);
    assertTrue(output.contains("oci.conf does not start schedgpu-bundle"), output);
  }

  /** srun may take the variable for its option --container: then there is no such bundle. */
  @Test
  void whoSetsItForSrunIsScheduledOrHasNoStep() throws IOException {
    configureContainers(Path.of("true"));
    List<String> words = new ArrayList<>(List.of("env", "SLURM_CONTAINER=/nowhere", "srun"));
    words.addAll(MOST_OF_IT);
    words.addAll(List.of("sh", "-c", cluster.gpuUser("info")));
    CommandResult result = cluster.slurm().commands().run(words);
    String output = result.stdout() + result.stderr();
    assertTrue(!result.ok() || output.contains("\"totalMiB\":800"), output);
  }
}
