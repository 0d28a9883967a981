package org.schedgpu.rest;

import java.util.List;

/** One shape of slurmrestd's API: its generated client, and its answers as our records. */
interface ApiVersion {
  /** Names of the slurmctlds that answer. */
  List<String> controllers() throws Exception;

  List<RestNode> nodes() throws Exception;

  List<RestNode> node(String name) throws Exception;

  /** {@code state} is {@code DRAIN} or {@code RESUME}. */
  void updateNode(String name, String state, String reason) throws Exception;

  List<RestPartition> partitions() throws Exception;

  List<RestJob> jobs() throws Exception;

  List<RestJob> job(long id) throws Exception;

  long submit(RestSubmission job) throws Exception;

  void cancel(long id) throws Exception;

  void write(long id, JobField field, String text) throws Exception;
}
