package org.schedgpu.gres.command;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.common.TextTable;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.verify.Finding;
import org.schedgpu.gres.verify.Verification;
import org.schedgpu.gres.verify.Verification.Row;

/** The output of {@code schedgpu gres verify}: a table and lines for people, a tree for JSON. */
final class VerifyReport {
  private static final String INDENT = "  ";

  private final Verification verification;
  private final Path folder;
  private final String asked;
  private final List<Finding> findings;
  private final List<Row> rows;

  /**
   * @param asked the program that answered for slurmctld
   */
  VerifyReport(Verification verification, Path folder, String asked) {
    this.verification = verification;
    this.folder = folder;
    this.asked = asked;
    findings = verification.findings();
    rows = verification.rows();
  }

  boolean right() {
    return findings.isEmpty();
  }

  String text() {
    StringBuilder text = new StringBuilder(table());
    verification.lines().forEach(line -> text.append(wrapped(line)));
    verification.notes().forEach(note -> text.append(wrapped("note: " + note)));
    long wrong = rows.stream().filter(row -> !row.right()).count();
    text.append(
        right()
            ? "all is right: %d nodes, files in %s, asked %s\n"
                .formatted(rows.size(), folder, asked)
            : "NOT right: %d of %d nodes, %s to correct\n"
                .formatted(wrong, rows.size(), things(verification.lines().size())));
    return text.toString();
  }

  private static String things(int count) {
    return count == 1 ? "1 thing" : count + " things";
  }

  /** A row for each node with a problem; correct nodes of the same kind share a row. */
  private String table() {
    TextTable table = new TextTable("NODE", "PLANNED", "SLURMCTLD", "STATE", "");
    Map<List<String>, List<String>> rightNodes = new LinkedHashMap<>();
    for (Row row : rows) {
      if (row.right()) {
        rightNodes
            .computeIfAbsent(
                List.of(row.planned(), row.actual(), row.state()), key -> new ArrayList<>())
            .add(row.node());
      }
    }
    rightNodes.forEach(
        (same, nodes) ->
            table.row(Hostlist.compress(nodes), same.get(0), same.get(1), same.get(2), "right"));
    rows.stream()
        .filter(row -> !row.right())
        .forEach(
            row ->
                table.row(
                    row.node(),
                    row.planned(),
                    row.actual() == null ? "-" : row.actual(),
                    row.state() == null ? "-" : row.state(),
                    "NOT"));
    return table.text();
  }

  /** Wraps a line at 80 columns; a longer word stays in one piece. */
  static String wrapped(String line) {
    StringBuilder text = new StringBuilder();
    int column = 0;
    for (String word : line.split(" ", -1)) {
      if (column > 0 && column + 1 + word.length() > TextTable.MAX_COLUMNS) {
        text.append('\n').append(INDENT);
        column = INDENT.length();
      } else if (column > 0) {
        text.append(' ');
        column++;
      }
      text.append(word);
      column += word.length();
    }
    return text.append('\n').toString();
  }

  Map<String, Object> json() {
    Map<String, Object> root = new LinkedHashMap<>();
    root.put("right", right());
    root.put("folder", folder.toString());
    root.put("asked", asked);
    root.put("nodes", rows.stream().map(VerifyReport::rowJson).toList());
    root.put(
        "problems",
        findings.stream().filter(f -> f.node().isEmpty()).map(VerifyReport::json).toList());
    root.put("notes", verification.notes());
    return root;
  }

  private static Map<String, Object> rowJson(Row row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("nodeName", row.node());
    json.put("gresPlanned", row.planned());
    json.put("gresBelieved", row.actual());
    json.put("state", row.state());
    json.put("right", row.right());
    json.put("problems", row.findings().stream().map(VerifyReport::json).toList());
    return json;
  }

  private static Map<String, Object> json(Finding finding) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("what", finding.what());
    json.put("action", finding.action());
    return json;
  }
}
