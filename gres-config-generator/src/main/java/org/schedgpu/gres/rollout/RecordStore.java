package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.schedgpu.gres.change.PrivateFiles;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;

/** Stores the record of a rollout in {@code rollout.json}, beside the backups. */
public class RecordStore {
  /** The name of the file in {@code schedgpu-backup}. */
  public static final String FILE = "rollout.json";

  private static final String BROKEN =
      "do not restart slurmctld; docs/reference/rollout.md says what to do without the record";

  private final PrivateFiles files;

  public RecordStore(PrivateFiles files) {
    this.files = files;
  }

  /** The store for a folder of slurm.conf. */
  public static RecordStore of(Path configFolder) {
    return new RecordStore(new PrivateFiles(configFolder));
  }

  /**
   * The latest rollout, open or not.
   *
   * @throws GresException if the file cannot be read or is not valid
   */
  public Optional<RolloutRecord> read() {
    return files
        .read(FILE)
        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
        .map(
            json -> {
              requireVersion(json);
              return Json.read(
                  json, RolloutRecord.class, "record " + files.folder().resolve(FILE), BROKEN);
            });
  }

  /** Checks the version first, because a later one may have other fields. */
  private void requireVersion(String json) {
    String place = "record " + files.folder().resolve(FILE);
    JsonNode version = Json.read(json, ObjectNode.class, place, BROKEN).path("version");
    if (!version.isInt() || version.intValue() != RolloutRecord.VERSION) {
      throw new GresException(
          "%s: version %s is not known, this is version %d"
              .formatted(
                  place, version.isMissingNode() ? "(none)" : version, RolloutRecord.VERSION),
          "use the schedgpu that wrote it");
    }
  }

  /** The latest rollout if it is open. */
  public Optional<RolloutRecord> open() {
    return read().filter(record -> record.phase().isOpen());
  }

  /**
   * Writes the record; it is on the disk when the call returns.
   *
   * @throws GresException if that fails
   */
  public void write(RolloutRecord record) {
    files.write(FILE, Json.write(record).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Checks that no rollout is open; called by other commands that change the files.
   *
   * @throws GresException if a rollout is open
   */
  public void requireNoneOpen() {
    open()
        .ifPresent(
            record -> {
              throw new GresException(
                  "the rollout " + record.id() + " is open (" + record.phase().word() + ")",
                  "end it with schedgpu gres rollout --continue or --abort, or go back with"
                      + " --revert");
            });
  }
}
