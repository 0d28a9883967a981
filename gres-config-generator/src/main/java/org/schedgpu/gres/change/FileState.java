package org.schedgpu.gres.change;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.schedgpu.gres.common.GresException;

/**
 * The state of a file without its content, as it is stored in the manifest.
 *
 * @param sha256 of the content, in hexadecimal digits
 * @param bytes length of the content
 * @param owner uid
 * @param group gid
 * @param mode four octal digits, {@code 0644}
 */
record FileState(
    @JsonProperty(required = true) String sha256,
    @JsonProperty(required = true) long bytes,
    @JsonProperty(required = true) int owner,
    @JsonProperty(required = true) int group,
    @JsonProperty(required = true) String mode) {
  private static final int OCTAL = 8;

  FileState {
    if (sha256 == null || !sha256.matches("[0-9a-f]{64}")) {
      throw new GresException("sha256 '" + sha256 + "' is not 64 digits", Manifest.BROKEN);
    }
    if (mode == null || !mode.matches("[0-7]{4}")) {
      throw new GresException("mode '" + mode + "' is not four octal digits", Manifest.BROKEN);
    }
  }

  static FileState of(byte[] content, int owner, int group, int modeBits) {
    return new FileState(sha256(content), content.length, owner, group, "%04o".formatted(modeBits));
  }

  /** The same file with other bytes. */
  FileState with(byte[] content) {
    return of(content, owner, group, modeBits());
  }

  @JsonIgnore
  int modeBits() {
    return Integer.parseInt(mode, OCTAL);
  }

  boolean sameBytes(FileState other) {
    return sha256.equals(other.sha256);
  }

  static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
