package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.change.BackupLine;
import org.schedgpu.gres.change.ConfigChanges;
import org.schedgpu.gres.change.Outcome;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.common.TextTable;
import org.schedgpu.gres.files.SlurmConfFolder;
import org.schedgpu.gres.rollout.RecordStore;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code schedgpu gres revert}: undoes what {@code apply} did. */
@Command(
    name = "revert",
    sortOptions = false,
    customSynopsis = {
      "schedgpu gres revert [--folder DIR] [--to ID] [--force] [--json]",
      "schedgpu gres revert --list [--folder DIR] [--json]"
    },
    descriptionHeading = "%n",
    description = {
      "Makes the files what they were before the latest apply.",
      "",
      "Bytes, owner, group, mode, or absence. Nothing to do if that was taken back",
      "already. An apply that was interrupted is undone. Refused if a file was changed",
      "since.%n"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The files are what they were, or --list was printed.",
      "1:Refused, or a file cannot be read or written; stderr says which.",
      "2:Wrong usage."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  Changes that can be reverted, and the latest one:",
      "    schedgpu gres revert --list",
      "    schedgpu gres revert",
      "  The third change and all after it:",
      "    schedgpu gres revert --to 3"
    })
public final class RevertCommand extends GresAction {

  @Option(
      names = "--folder",
      paramLabel = "DIR",
      description = "Where. Default: the folder of $$SLURM_CONF, else /etc/slurm.")
  private Path folder;

  @Option(
      names = "--to",
      paramLabel = "ID",
      description = "Takes back this change, after all later ones; an id of --list or its number.")
  private String to;

  @Option(names = "--list", description = "Prints the backups, oldest first; changes nothing.")
  private boolean list;

  @Option(
      names = "--force",
      description = "Replaces also what changed since the apply; a copy is kept.")
  private boolean force;

  @Option(names = "--json", description = "Prints JSON.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Override
  int run() {
    if (list && (to != null || force)) {
      throw new ParameterException(
          spec().commandLine(), "--list cannot be combined with --to or --force");
    }
    Path where = folder != null ? folder : SlurmConfFolder.of(System.getenv());
    ConfigChanges changes = new ConfigChanges(where);
    if (list) {
      printList(changes.list());
    } else {
      RecordStore.of(changes.folder()).requireNoneOpen();
      print(changes.revert(Optional.ofNullable(to), force));
    }
    return OK;
  }

  private void printList(List<BackupLine> backups) {
    PrintWriter out = out();
    if (json) {
      out.print(Json.write(Map.of("backups", backups)));
    } else if (backups.isEmpty()) {
      out.println("no backups");
    } else {
      TextTable table = new TextTable("BACKUP", "STATE", "FILES");
      backups.forEach(line -> table.row(line.id(), line.step(), line.fileNames()));
      out.print(table.text());
      backups.stream()
          .filter(line -> line.problem() != null)
          .forEach(line -> out.println(line.problem()));
    }
    out.flush();
  }

  private void print(Outcome outcome) {
    PrintWriter out = out();
    List<String> notes = new ArrayList<>(outcome.notes());
    if (outcome.backup().isPresent()) {
      notes.add(
          "Slurm reads the files when slurmctld and every slurmd are restarted; drain the nodes of"
              + " GPU jobs before, else Slurm requeues them");
    }
    if (json) {
      Map<String, Object> root = outcome.json();
      root.put("notes", notes);
      out.print(Json.write(root));
    } else {
      outcome.lines().forEach(out::println);
      outcome.backup().ifPresent(backup -> out.println("backup: " + backup));
      if (outcome.backup().isEmpty()) {
        out.println("nothing to do: the latest change is taken back; older ones: --to, --list");
      }
      notes.forEach(note -> out.println("note: " + note));
    }
    out.flush();
  }
}
