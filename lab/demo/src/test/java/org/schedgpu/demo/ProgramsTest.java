package org.schedgpu.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The executables describe themselves as the other tests assume. */
class ProgramsTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void describesItself(int index) throws Exception {
    Program expected = Fixtures.PROGRAMS.get(index);
    Artifacts artifacts = new Artifacts(ROOT);
    Process process = artifacts.command(artifacts.program(expected.name()), "--describe").start();
    Program told = new ObjectMapper().readValue(process.getInputStream(), Program.class);
    assertEquals(expected.name(), told.name());
    assertEquals(expected.aloneSeconds(), told.aloneSeconds(), 1e-3);
    assertEquals(expected.allocationMiB(), told.allocationMiB());
    assertEquals(expected.peakPercent(), told.peakPercent());
    assertEquals(expected.averagePercent(), told.averagePercent());
    assertEquals(expected.heldSeconds(), told.heldSeconds(), 0.01);
    assertEquals(expected.busySeconds(), told.busySeconds(), 0.01);
    assertEquals(expected.cycles(), told.cycles());
  }
}
