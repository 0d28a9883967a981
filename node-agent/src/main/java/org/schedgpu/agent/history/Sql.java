package org.schedgpu.agent.history;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.sqlite.JDBC;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConfig;

/** A connection to the file, which caches its statements. Used by one thread. */
final class Sql implements AutoCloseable {
  private static final int BUSY_MS = 2000;

  /** KiB, negative by SQLite's convention: the page cache of a connection. */
  private static final int CACHE_KIB = 512;

  /** Instructions of SQLite's machine, about some microseconds. */
  private static final int STEPS_BETWEEN_LOOKS = 1000;

  private static final int WAL_LIMIT_BYTES = 4 << 20;

  private final Path file;
  private final Connection connection;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  /** Converts a row. */
  @FunctionalInterface
  interface Rows {
    /** Called for each row, in order. */
    void row(ResultSet row) throws SQLException;
  }

  private Sql(Path file, Connection connection) {
    this.file = file;
    this.connection = connection;
  }

  /** Opens a file; without {@code readOnly} it is made if it does not exist. */
  static Sql open(Path file, boolean readOnly) {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(readOnly);
    config.setBusyTimeout(BUSY_MS);
    config.setCacheSize(-CACHE_KIB);
    config.enforceForeignKeys(!readOnly);
    if (!readOnly) {
      config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
      config.setJournalSizeLimit(WAL_LIMIT_BYTES);
    }
    Properties properties = config.toProperties();
    try {
      // not through DriverManager, which would load every driver that it finds
      return new Sql(file, JDBC.createConnection(JDBC.PREFIX + file, properties));
    } catch (SQLException problem) {
      throw new HistoryException(file, problem);
    }
  }

  /** Starts a time limit on all statements together; then they fail. */
  void limit(long ns) {
    long endNs = System.nanoTime() + ns;
    ProgressHandler handler =
        new ProgressHandler() {
          @Override
          protected int progress() {
            return System.nanoTime() - endNs < 0 ? 0 : 1;
          }
        };
    try {
      ProgressHandler.setHandler(connection, STEPS_BETWEEN_LOOKS, handler);
    } catch (SQLException problem) {
      throw new HistoryException(file, problem);
    }
  }

  /** The file itself. */
  Path file() {
    return file;
  }

  /** Runs a statement without rows; the number of changed rows. */
  int update(String sql, Object... values) {
    try {
      return bound(sql, List.of(values)).executeUpdate();
    } catch (SQLException problem) {
      throw new HistoryException(file, problem);
    }
  }

  /** Runs a PRAGMA and ignores its answer. */
  void pragma(String sql) {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql); // to its end: execute() would run only the first step
    } catch (SQLException problem) {
      throw new HistoryException(file, problem);
    }
  }

  /** Passes on each row of an answer. */
  void each(Rows rows, String sql, List<Object> values) {
    try (ResultSet answer = bound(sql, values).executeQuery()) {
      while (answer.next()) {
        rows.row(answer);
      }
    } catch (SQLException problem) {
      throw new HistoryException(file, problem);
    }
  }

  /** The first number of the first row; 0 if there is none. */
  long number(String sql, Object... values) {
    long[] number = new long[1];
    each(row -> number[0] = row.getLong(1), sql, List.of(values));
    return number[0];
  }

  /** Runs all of it, or rolls back. */
  void transaction(Runnable work) {
    update("BEGIN IMMEDIATE");
    boolean done = false;
    try {
      work.run();
      update("COMMIT");
      done = true;
    } finally {
      if (!done) {
        rollBack();
      }
    }
  }

  /** The first error is the one to report. */
  private void rollBack() {
    try {
      update("ROLLBACK");
    } catch (HistoryException gone) {
      return;
    }
  }

  private PreparedStatement bound(String sql, List<Object> values) throws SQLException {
    PreparedStatement statement = statements.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      statements.put(sql, statement);
    }
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      statement.setObject(i + 1, value == NULL ? null : value);
    }
    return statement;
  }

  /** Stands for NULL among values. */
  static final Object NULL = new Object();

  @Override
  public void close() {
    try {
      for (PreparedStatement statement : statements.values()) {
        statement.close();
      }
      connection.close();
    } catch (SQLException problem) {
      throw new HistoryException(file, problem);
    }
  }
}
