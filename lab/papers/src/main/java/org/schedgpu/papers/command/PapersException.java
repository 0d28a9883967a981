package org.schedgpu.papers.command;

/** Something is wrong that the user can put right. */
final class PapersException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PapersException(String problem, String remedy) {
    super("papers: " + problem + ": " + remedy);
  }
}
