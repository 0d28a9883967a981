package org.schedgpu.agent.command;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code schedgpu} itself. */
@Command(
    name = "schedgpu",
    versionProvider = SchedgpuCommand.Version.class,
    description = {
      "%nShares the GPUs of a node: jobs reserve device memory before they allocate it,",
      "and requests that do not fit wait.%n"
    },
    commandListHeading = "%nCommands:%n",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:All went well.",
      "1:The command failed; stderr says why and what to do.",
      "2:Wrong usage.",
      "3:There is no region on this node."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  schedgpu status                      jobs, waiters, and what each job holds",
      "  schedgpu run --mem 6G -- ./train     a job without Slurm",
      "  schedgpu doctor                      checks what this node needs",
      "",
      "See also: man schedgpu"
    })
public final class SchedgpuCommand implements Runnable {
  @Spec private CommandSpec spec;
  @Mixin private NodeOptions options;

  @Option(
      names = {"-V", "--version"},
      versionHelp = true,
      description = "Shows the version.")
  boolean version;

  NodeOptions options() {
    return options;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }

  /** As {@code 0.1.0}. */
  public static String number() {
    String[] words = new Version().getVersion()[0].split(" ", -1);
    return words[words.length - 1];
  }

  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      try (InputStream text = Version.class.getResourceAsStream("version.txt")) {
        return new String[] {new String(text.readAllBytes(), StandardCharsets.UTF_8).strip()};
      } catch (IOException problem) {
        throw new UncheckedIOException(problem);
      }
    }
  }
}
