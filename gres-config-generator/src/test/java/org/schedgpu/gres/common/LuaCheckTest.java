package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void aScriptThatDoesNotEndIsSuspect() {
    LuaCheck.Result read = load("while true do end\n");
    assertEquals(
        new LuaCheck.Result(Optional.empty(), Optional.of("it does not end within 5 s")), read);
  }

  private static Path program(Path folder, String name, String text) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void theNewestLuaThatCanBeRunIsAsked(@TempDir Path folder) throws IOException {
    program(folder, "lua5.3", "echo 5.3; exit 3\n");
    Path newest = program(folder, "lua5.4", "echo 5.4; exit 3\n");
    byte[] none = {};
    assertEquals(
        Optional.of("5.4"),
        LuaCheck.in(List.of(folder)).orElseThrow().load("x", none, true).broken());
    Files.setPosixFilePermissions(newest, PosixFilePermissions.fromString("rw-r--r--"));
    assertEquals(
        Optional.of("5.3"),
        LuaCheck.in(List.of(folder)).orElseThrow().load("x", none, true).broken());
  }

  @Test
  void noFileStays(@TempDir Path folder) throws IOException {
    program(folder, "lua", "echo \"$1\"; exit 3\n");
    LuaCheck.Result read = LuaCheck.in(List.of(folder)).orElseThrow().load("x", new byte[0], true);
    assertFalse(Files.exists(Path.of(read.broken().orElseThrow()).getParent()));
  }

  @Test
  void withoutLuaThereIsNoCheck() {
    assertEquals(Optional.empty(), LuaCheck.in(List.of(Path.of("/nonexistent"))));
  }
}
