package org.schedgpu.gpucheck;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.schedgpu.gpucheck.Region.Wish;

/**
 * Physical memory that one process creates and another one imports through a file descriptor. It
 * counts once, for the job of its maker, and its content outlives the maker.
 */
final class LentMemory {
  static final String NAME = "shared by descriptor";
  private static final int GRAINS = 48;
  private static final long PAGE_BYTES = 2 * Check.MIB;

  private final Check check;
  private final Region region;

  LentMemory(Check check, Region region) {
    this.check = check;
    this.region = region;
  }

  void run() throws InterruptedException {
    long first = region.begin(Wish.budget(check.budgetBytes(Check.GIB, 25)));
    long second = region.begin(Wish.budget(check.budgetBytes(Check.GIB, 25)));
    try (Program maker = start(first);
        Program user = start(second)) {
      lend(maker, user, second);
    } finally {
      region.end(first);
      region.end(second);
    }
  }

  private Program start(long job) {
    Map<String, String> environment = region.environmentOf(job);
    environment.put("DESCRIPTOR_SOCKET", check.work().resolve("descriptors").toString());
    return check.start(
        List.of(check.bundle().program("physical_program").toString(), "handle"), environment);
  }

  /** A lender that dies: the borrower still reads what the lender wrote. */
  private void lend(Program maker, Program user, long job) throws InterruptedException {
    begin(maker);
    begin(user);
    user.must("listen");
    if (!maker.ask("create-shareable 0 " + GRAINS).isDone()) {
      check.findings().skipped(NAME, "this driver exports no memory as a file descriptor");
      return;
    }
    map(maker);
    maker.must("fill 0 0 77");
    maker.must("export 0 0");
    maker.must("send 0");
    OptionalLong before = check.usedBytes(user.pid());
    long booksBefore = region.inUseBytes(job);
    user.must("receive 0");
    user.must("import 0 0");
    user.must("close 0");
    map(user);
    OptionalLong with = check.usedBytes(user.pid());
    boolean same = reads77(user);
    maker.kill();
    maker.close();
    boolean stays = reads77(user);
    OptionalLong alone = check.usedBytes(user.pid());
    long books = region.inUseBytes(job) - booksBefore;
    long grownBytes = grown(before, with);
    check.judgeLater(
        NAME,
        same && stays && books == 0 && grownBytes <= PAGE_BYTES,
        "the second process: %s, books %s, NVML %s, after the first one died %s"
            .formatted(
                same && stays ? "same content" : "OTHER CONTENT",
                Check.size(books),
                Check.size(grownBytes),
                Check.size(grown(before, alone))),
        Map.of(
            "nvmlBytes", grownBytes,
            "nvmlAfterDeathBytes", grown(before, alone),
            "booksBytes", books));
  }

  private static void begin(Program program) throws InterruptedException {
    program.must("begin 0");
    program.must("reserve 0 " + GRAINS);
  }

  private static void map(Program program) throws InterruptedException {
    program.must("map 0 0 " + GRAINS + " 0");
    program.must("access 0 0 " + GRAINS);
  }

  private static boolean reads77(Program program) throws InterruptedException {
    return program.must("read 0 0") == 77 * 256 + 77;
  }

  /** 0 if NVML does not report processes. */
  private static long grown(OptionalLong before, OptionalLong after) {
    return before.isPresent() && after.isPresent() ? after.getAsLong() - before.getAsLong() : 0;
  }
}
