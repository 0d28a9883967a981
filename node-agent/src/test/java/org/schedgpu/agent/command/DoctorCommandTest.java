package org.schedgpu.agent.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.agent.text.Style;

class DoctorCommandTest {
  @Test
  void nothingThatWasFoundSteersTheTerminal() {
    String text =
        DoctorCommand.text(
            List.of(Finding.problem("overrun", "4711 \u001b[2J\nx", "see \u009b")),
            new Style(false));
    assertTrue(text.contains("4711 ?[2J?x\n"), text);
    assertTrue(text.contains("-> see ?\n"), text);
  }

  @Test
  void eachWrongThingIsFollowedByWhatToDo() {
    List<Finding> findings =
        List.of(Finding.ok("library", "/l.so"), Finding.problem("nvml", "not there", "install it"));
    assertEquals(
        """
        ok    library  /l.so
        WRONG nvml     not there
                       -> install it
        1 thing is wrong.
        """,
        DoctorCommand.text(findings, new Style(false)));
    assertEquals(
        """
        [
          {
            "check": "library",
            "ok": true,
            "text": "/l.so",
            "todo": null
          },
          {
            "check": "nvml",
            "ok": false,
            "text": "not there",
            "todo": "install it"
          }
        ]
        """,
        DoctorCommand.json(findings));
  }
}
