package org.schedgpu.agent.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.history.HistoryBatch.SeenJob;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.JsonValues;
import org.schedgpu.agent.text.Times;
import org.schedgpu.jna.Posix;

/** {@code schedgpu history} of root without an agent, and the question behind it. */
class HistoryCommandTest {
  private static final int ALICE = 1000;
  private static final int BOB = 1001;
  private static final int JOBS = 1200;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private Path file;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    Assumptions.assumeTrue(Posix.effectiveUid() == 0, "the file is root's");
    node = new TestNode(folder);
    file = node.readConf().historyFile();
  }

  private void remember(int jobs) {
    List<SeenJob> ended = new ArrayList<>();
    for (long id = 1; id <= jobs; id++) {
      ended.add(Records.ended(id, id % 2 == 0 ? ALICE : BOB));
    }
    try (HistoryWriter writer = HistoryWriter.open(file)) {
      writer.write(Records.look(Records.REGION, Records.NOON, List.of(), ended));
    }
  }

  private Cli history(String... words) {
    List<String> all = new ArrayList<>(List.of("history", "--conf", node.conf().toString()));
    all.addAll(List.of(words));
    return Cli.run(all.toArray(new String[0]));
  }

  private List<Long> ids(String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--json");
    Cli cli = history(all.toArray(new String[0]));
    assertEquals(0, cli.exitCode(), cli::err);
    return new JsonFields(JsonValues.object(cli.out()))
        .list("jobs").stream().map(job -> job.number("id")).toList();
  }

  @Test
  void nothingIsRememberedYet() {
    assertEquals(new Cli(0, "No job is remembered yet.\n", ""), history());
    assertEquals(new Cli(0, "No such job is remembered.\n", ""), history("--user", "alice"));
  }

  @Test
  void jobsAreNarrowedAndPagedThrough() throws IOException {
    remember(JOBS);
    assertEquals(20, ids().size());
    assertEquals(List.of(1200L, 1199L), ids("--limit", "2"));
    assertEquals(JOBS, ids("--limit", "100000").size());
    assertEquals(List.of(7L), ids("--job", "7"));
    assertEquals(List.of(), ids("--job", "run:7"));
    assertEquals(List.of(1200L, 1198L), ids("--user", "user1000", "--limit", "2"));
    assertEquals(List.of(1199L, 1197L), ids("--user", "1001", "--limit", "2"));
    assertEquals(List.of(), ids("--since", "2199-01-01"));
    assertTrue(history().out().startsWith("ENDED "), () -> history().out());
  }

  @Test
  void sumsAreOfUsersOrAccounts() throws IOException {
    assertEquals(new Cli(0, "No job is remembered yet.\n", ""), history("--by", "user"));
    remember(4);
    Cli text = history("--by", "user");
    assertTrue(text.out().startsWith("USER "), text::out);
    assertEquals(4, text.out().lines().count(), text::out);
    JsonFields json =
        new JsonFields(
            JsonValues.object(history("--by", "account", "--user", "user1000", "--json").out()));
    assertEquals(2, json.list("usage").get(0).number("jobs"));
    assertEquals("", json.list("usage").get(0).text("account"));
  }

  @Test
  void whatIsWrongIsNamed() {
    assertEquals(
        new Cli(
            2,
            "",
            "schedgpu history: --since yesterday: is no time: write 2h, 30d, 2026-11-01: see schedgpu history --help\n"),
        history("--since", "yesterday"));
    assertEquals(
        new Cli(
            2,
            "",
            "schedgpu history: --job x: is no job: write 4711, or run:4711: see schedgpu history --help\n"),
        history("--job", "x"));
    assertEquals(2, history("--limit", "0").exitCode());
    assertEquals(
        new Cli(
            2,
            "",
            "schedgpu history: --by group: must be user or account: see schedgpu history --help\n"),
        history("--by", "group"));
    assertEquals(2, history("--by", "user", "--job", "7").exitCode());
  }

  @Test
  void timesAreAgoOrOfTheDay() {
    java.time.ZoneId zone = java.time.ZoneId.of("Europe/Berlin");
    long hour = 3_600_000_000_000L;
    long noonMs = Records.NOON / 1_000_000;
    assertEquals(OptionalLong.of(Records.NOON - 2 * hour), Times.pastNs("2h", noonMs, zone));
    assertEquals(OptionalLong.of(Records.NOON - 720 * hour), Times.pastNs("30d", noonMs, zone));
    assertEquals(
        OptionalLong.of(Records.NOON - 13 * hour), Times.pastNs("2026-11-01", noonMs, zone));
    assertEquals(OptionalLong.of(Records.NOON), Times.pastNs("2026-11-01T13:00", noonMs, zone));
    for (String wrong : List.of("", "yesterday", "2026-11", "2026-13-01", "-2h")) {
      assertEquals(OptionalLong.empty(), Times.pastNs(wrong, noonMs, zone), wrong);
    }
  }

  private JsonFields ask(Principal viewer, Map<String, Object> arguments) {
    return new JsonFields(new HistoryQuestion(() -> file).answer(arguments, viewer));
  }

  @Test
  void aUserSeesWhatIsHisWhateverHeAsksFor() {
    remember(6);
    Principal alice = new Principal(ALICE, true);
    assertEquals(3, ask(alice, Map.of()).list("jobs").size());
    assertEquals(0, ask(alice, Map.of("user", "1001")).list("jobs").size());
    assertEquals(0, ask(alice, Map.of("kind", "slurm", "id", 5L)).list("jobs").size());
    assertEquals(6, ask(new Principal(ALICE, false), Map.of()).list("jobs").size());
    assertEquals(6, ask(Principal.root(), Map.of()).list("jobs").size());
    assertEquals(0, ask(new Principal(4, true), Map.of()).list("jobs").size());
  }

  @Test
  void anAnswerIsBounded() {
    remember(6);
    JsonFields first = ask(Principal.root(), Map.of("limit", 4L));
    assertEquals(4, first.list("jobs").size());
    JsonFields rest =
        ask(
            Principal.root(),
            Map.of("limit", 4L, "beforeRow", first.optional("next").orElseThrow()));
    assertEquals(2, rest.list("jobs").size());
    assertEquals(OptionalLong.empty(), rest.optional("next"));
    AgentException many =
        assertThrows(AgentException.class, () -> ask(Principal.root(), Map.of("limit", 1001L)));
    assertEquals("the argument limit=1001: must be a number of 1 to 1000", many.getMessage());
  }
}
