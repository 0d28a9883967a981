package org.schedgpu.agent.history;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Set;
import org.schedgpu.agent.problem.AgentException;
import org.sqlite.SQLiteErrorCode;

/** The history cannot be read or written. */
public final class HistoryException extends AgentException {
  private static final long serialVersionUID = 1L;
  private static final int PRIMARY_CODE = 0xff;
  private static final Set<Integer> DAMAGED =
      Set.of(SQLiteErrorCode.SQLITE_CORRUPT.code, SQLiteErrorCode.SQLITE_NOTADB.code);

  private final boolean damaged;

  HistoryException(String message) {
    super(message);
    this.damaged = false;
  }

  /** SQLite's error for a file. */
  HistoryException(Path file, SQLException problem) {
    super("history: " + file + ": " + why(problem), problem);
    this.damaged = DAMAGED.contains(problem.getErrorCode() & PRIMARY_CODE);
  }

  /** True if the file is damaged. */
  boolean damaged() {
    return damaged;
  }

  private static String why(SQLException problem) {
    SQLiteErrorCode code = SQLiteErrorCode.getErrorCode(problem.getErrorCode() & PRIMARY_CODE);
    return switch (code) {
      case SQLITE_FULL -> "the disk is full: make room, or lower HistoryMax";
      case SQLITE_CORRUPT, SQLITE_NOTADB -> "it is damaged";
      case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH ->
          "it cannot be opened or written: check its folder, or set HistoryFile";
      case SQLITE_BUSY, SQLITE_LOCKED -> "another program has locked it: end that program";
      case SQLITE_IOERR -> "it cannot be read or written (" + problem.getMessage() + "): see dmesg";
      case SQLITE_INTERRUPT -> "this takes too long: ask for a shorter time, or as root";
      default -> problem.getMessage() + ": see HistoryFile in schedgpu.conf";
    };
  }
}
