package org.schedgpu.jna;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads files whose content, length and speed a user controls, such as files of a process in /proc:
 * a process can make its environment 4 GiB long, and put it on its own file system that never
 * answers. A file that is too long or too slow counts as unreadable, so a user hides only files of
 * his own. Thread-safe.
 */
public final class UserFiles {
  /** The limit on the bytes of a file, where the caller sets none. */
  public static final int MAX_BYTES = 64 << 10;

  private static final UserFiles OF_THIS_PROCESS = new UserFiles(Limits.USUAL);

  /**
   * How long users may delay this process.
   *
   * @param patienceNs for one read
   * @param promptNs a read up to this length costs its user nothing
   * @param allowanceNs for all longer reads of a user within a window
   * @param windowNs after which a user has the whole allowance again
   * @param mostBlocked how many reads of all users may go on in their own threads, because they
   *     cannot be interrupted
   */
  record Limits(long patienceNs, long promptNs, long allowanceNs, long windowNs, int mostBlocked) {
    static final Limits USUAL =
        new Limits(
            TimeUnit.SECONDS.toNanos(2),
            TimeUnit.MILLISECONDS.toNanos(100),
            TimeUnit.SECONDS.toNanos(5),
            TimeUnit.SECONDS.toNanos(60),
            16);
  }

  /** Something that reads. */
  @FunctionalInterface
  public interface Read<T> {
    /** May block forever. */
    T read() throws IOException;
  }

  /** The recent cost of one user's reads. */
  private static final class Account {
    private long begunNs;
    private long spentNs;
    private int blocked;
  }

  /** A read in its own thread. */
  private static final class Attempt {
    private boolean ended;
    private Account account; // set when the caller has given it up
  }

  private final Limits limits;
  private final Executor threads = Executors.newCachedThreadPool(UserFiles::daemon);
  private final Map<Integer, Account> accounts = new HashMap<>();
  private int blocked;

  UserFiles(Limits limits) {
    this.limits = limits;
  }

  /** The instance whose threads and accounts all parts of this process share. */
  public static UserFiles shared() {
    return OF_THIS_PROCESS;
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "user-files");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * A whole file, with a limit on bytes but not on time.
   *
   * @throws IOException if it cannot be read, or is longer
   */
  public static byte[] read(Path file, int mostBytes) throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      byte[] bytes = stream.readNBytes(mostBytes);
      if (bytes.length == mostBytes && stream.read() >= 0) {
        throw new IOException(file + ": longer than " + mostBytes + " bytes: not read");
      }
      return bytes;
    }
  }

  /** As {@link #read(Path, int)}. Bytes of any kind become characters, so decoding never fails. */
  public static String text(Path file, int mostBytes) throws IOException {
    return new String(read(file, mostBytes), StandardCharsets.ISO_8859_1);
  }

  /**
   * A whole file of at most {@link #MAX_BYTES}, also with a limit on time.
   *
   * @param uid the user who controls how long the read takes
   */
  public String textInTime(int uid, Path file) throws IOException {
    return inTime(uid, () -> text(file, MAX_BYTES));
  }

  /** As {@link #textInTime(int, Path)}, with the file's owner as the user. */
  public String textInTime(Path file) throws IOException {
    return textInTime((int) Files.getAttribute(file, "unix:uid"), file);
  }

  /**
   * The result of a read that ends in time. A read that does not end goes on in its thread, and its
   * user's files are unreadable until it ends.
   *
   * @param uid the user who controls how long the read takes
   * @throws IOException if the read fails or takes too long, or earlier reads of the user did
   */
  public <T> T inTime(int uid, Read<T> read) throws IOException {
    long begunNs = System.nanoTime();
    check(uid, begunNs);
    Attempt attempt = new Attempt();
    CompletableFuture<T> result =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return read.read();
              } catch (IOException problem) {
                throw new CompletionException(problem);
              } finally {
                end(attempt);
              }
            },
            threads);
    try {
      return result.get(limits.patienceNs(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      giveUp(uid, attempt);
      throw new IOException("a file of user %d blocks: not read".formatted(uid), late);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      giveUp(uid, attempt);
      throw new IOException("interrupted", stop);
    } catch (ExecutionException problem) {
      if (problem.getCause() instanceof IOException refused) {
        throw new IOException(refused.getMessage(), refused);
      }
      throw new IllegalStateException(problem.getCause());
    } finally {
      charge(uid, begunNs, System.nanoTime());
    }
  }

  private synchronized void check(int uid, long nowNs) throws IOException {
    Account account = accounts.get(uid);
    if (account != null && isOver(account, nowNs)) {
      accounts.remove(uid);
      account = null;
    }
    boolean spent = account != null && account.spentNs > limits.allowanceNs();
    if (spent || (account != null && account.blocked > 0) || blocked >= limits.mostBlocked()) {
      throw new IOException("files of user %d take too long: not read".formatted(uid));
    }
  }

  private boolean isOver(Account account, long nowNs) {
    return account.blocked == 0 && nowNs - account.begunNs > limits.windowNs();
  }

  private synchronized void charge(int uid, long begunNs, long nowNs) {
    if (nowNs - begunNs > limits.promptNs()) {
      accounts.values().removeIf(account -> isOver(account, nowNs));
      account(uid, nowNs).spentNs += nowNs - begunNs;
    }
  }

  private Account account(int uid, long nowNs) {
    return accounts.computeIfAbsent(
        uid,
        ignored -> {
          Account fresh = new Account();
          fresh.begunNs = nowNs;
          return fresh;
        });
  }

  private synchronized void giveUp(int uid, Attempt attempt) {
    if (!attempt.ended) {
      attempt.account = account(uid, System.nanoTime());
      attempt.account.blocked++;
      blocked++;
    }
  }

  private synchronized void end(Attempt attempt) {
    attempt.ended = true;
    if (attempt.account != null) {
      attempt.account.blocked--;
      blocked--;
    }
  }

  /** The number of reads that were given up and have not ended. */
  synchronized int blocked() {
    return blocked;
  }
}
