package org.schedgpu.agent;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.schedgpu.jna.Policy;

class MainTest {
  @Test
  void showsTheVersion() {
    assertEquals(new Cli(0, "schedgpu 0.1.0\n", ""), Cli.run("--version"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "jobs",
        "history",
        "top",
        "run",
        "setup",
        "reap",
        "end",
        "watch",
        "policy",
        "suggest",
        "estimate",
        "report",
        "simulate",
        "container-options",
        "doctor",
        "gres",
        "gres facts",
        "gres plan",
        "gres apply",
        "gres revert",
        "gres verify",
        "gres rollout",
        "completion"
      })
  void everyCommandHasHelp(String command) {
    Cli cli = Cli.run((command + " --help").split(" ", -1));
    assertEquals(0, cli.exitCode());
    assertTrue(cli.out().startsWith("Usage: schedgpu " + command), cli::out);
    cli.out().lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "jobs",
        "history",
        "run",
        "setup",
        "reap",
        "end",
        "watch",
        "policy",
        "suggest",
        "estimate",
        "container-options",
        "doctor",
        "top",
        "report",
        "simulate"
      })
  void helpOfANodeCommandHasExamplesAndExitCodes(String command) {
    String help = Cli.run(command, "--help").out();
    assertTrue(help.contains("Example") && help.contains("Exit codes:"), help);
  }

  /** The list of commands has the first sentence only; picocli formats every line. */
  @Test
  void theFirstSentenceStandsAloneAndPercentSignsAreDoubled() {
    Main.commandLine()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              String[] lines = command.getCommandSpec().usageMessage().description();
              assertTrue(String.format(lines[0]).endsWith("."), name + ": " + lines[0]);
              for (String line : lines) {
                assertDoesNotThrow(() -> String.format(line), name + ": " + line);
              }
            });
  }

  @Test
  void aMissingCommandIsWrongUsage() {
    assertEquals(
        new Cli(2, "", "schedgpu: a command is missing: see schedgpu --help\n"), Cli.run());
  }

  @Test
  void anUnknownOptionIsWrongUsage() {
    assertEquals(
        new Cli(2, "", "schedgpu status: Unknown option: '--jason': see schedgpu status --help\n"),
        Cli.run("status", "--jason"));
  }

  @Test
  void aMistypedWordGetsASuggestion() {
    assertTrue(Cli.run("stauts").err().contains("'stauts', did you mean status"));
    String option = Cli.run("status", "--jsn").err();
    assertTrue(option.contains("'--jsn', did you mean --json"), option);
  }

  @Test
  void helpIsACommandToo() {
    assertEquals(Cli.run("--help"), Cli.run("help"));
    assertEquals(Cli.run("status", "--help"), Cli.run("help", "status"));
    assertEquals(Cli.run("gres", "plan", "--help"), Cli.run("gres", "help", "plan"));
  }

  @Test
  void anUnknownPolicyIsWrongUsage() {
    assertEquals(
        "schedgpu policy: policy lifo is none of "
            + Arrays.stream(Policy.values()).map(Policy::text).collect(Collectors.joining(", "))
            + ": see schedgpu policy --help\n",
        Cli.run("policy", "lifo").err());
  }

  @Test
  void wrongWordsOfRunAreWrongUsage() {
    assertEquals(2, Cli.run("run", "--mode", "all", "true").exitCode());
    assertEquals(2, Cli.run("run", "--on-failure", "cry", "true").exitCode());
    assertEquals(2, Cli.run("run").exitCode());
  }

  @Test
  void aWatchThatWouldNeverRestIsWrongUsage() {
    for (String every : new String[] {"0", "99ms", "often"}) {
      assertEquals(
          new Cli(
              2,
              "",
              "schedgpu watch: --every "
                  + every
                  + " is no time of at least 100ms: write 5s: see schedgpu watch --help\n"),
          Cli.run("watch", "--every", every));
    }
  }

  @Test
  void completionKnowsEveryCommand() {
    String script = Cli.run("completion").out();
    for (String word : new String[] {"status", "facts", "--on-failure", "--once"}) {
      assertTrue(script.contains(word), word);
    }
  }

  @Test
  void completionKnowsEveryPolicy() {
    String script = Cli.run("completion").out();
    for (Policy policy : Policy.values()) {
      assertTrue(script.contains("\"" + policy.text() + "\""), policy.text());
    }
  }

  @Test
  void whatWentWrongDoesNotSteerTheTerminal() {
    assertEquals(
        new Cli(1, "", "schedgpu: /no?[2J.conf: there is no such file: check the path\n"),
        Cli.run("setup", "--conf", "/no\u001b[2J.conf"));
  }

  @Test
  void aConfigurationThatIsNotThereIsNamed() {
    assertEquals(
        new Cli(1, "", "schedgpu: /no.conf: there is no such file: check the path\n"),
        Cli.run("setup", "--conf", "/no.conf"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run --mem 1G --mem=2G true",
        "gres apply --plan a --plan b",
        "gres plan --per-gpu 4 --per-gpu 5"
      })
  void anOptionThatIsRepeatedIsNamed(String line) {
    Cli cli = Cli.run(line.split(" "));
    assertEquals(2, cli.exitCode());
    assertTrue(
        cli.err()
            .matches("schedgpu .*: --[a-z-]+ is given more than once: give it once: see .*\\n"),
        cli::err);
  }
}
