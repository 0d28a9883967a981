package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Lua says of a script for Slurm's commands. */
class LuaCheckTest {
  private LuaCheck lua;

  @BeforeEach
  void findLua() {
    Optional<LuaCheck> found = LuaCheck.installed();
    assumeTrue(found.isPresent(), "no Lua is installed");
    lua = found.orElseThrow();
  }

  private LuaCheck.Result load(String script) {
    return lua.load("cli_filter.lua", script.getBytes(StandardCharsets.ISO_8859_1), true);
  }

  @Test
  void aScriptThatUsesSlurmIsWell() {
    LuaCheck.Result read =
        load(
            "slurm.log_info('x')\n"
                + "local a = slurm.json.x(1)\n"
                + "function f() return slurm.SUCCESS end");
    assertEquals(new LuaCheck.Result(Optional.empty(), Optional.empty()), read);
  }

  @Test
  void aScriptThatDoesNotCompileIsBroken() {
    String why = load("function slurm_cli_pre_submit(o, p)\n  return 0\n").broken().orElseThrow();
    assertTrue(why.startsWith("cli_filter.lua:") && why.contains("'end' expected"), why);
    assertTrue(load("\u0001%\u0002 random").broken().isPresent());
    assertTrue(load("\u001bLua no byte code").broken().isPresent());
  }

  @Test
  void aScriptThatFailsWithoutSlurmIsSuspect() {
    LuaCheck.Result read = load("require('no.such.module')\n");
    assertEquals(Optional.empty(), read.broken());
    assertTrue(read.suspect().orElseThrow().contains("no.such.module"), read::toString);
    assertEquals(
        Optional.empty(),
        lua.load("x", "error('run')".getBytes(StandardCharsets.UTF_8), false).suspect());
  }

  @Test
  void withoutLuaThereIsNoCheck() {
    assertEquals(Optional.empty(), LuaCheck.in(List.of(Path.of("/nonexistent"))));
  }
}
