package org.schedgpu.model;

import java.nio.LongBuffer;

/** The words of schedgpu_core_read(). */
final class CoreState {
  private static final int NUMBERS = 5;
  private static final int DEVICE_WORDS = 3;
  private static final int JOB_WORDS = 3;
  private static final int WAITER_WORDS = 2;

  private final LongBuffer words;
  private int devices;
  private int jobs;
  private int clients;
  private int waiters;
  private int woken;
  private int jobsAt;
  private int clientsAt;
  private int waitersAt;
  private int wokenAt;

  CoreState(LongBuffer words) {
    this.words = words;
  }

  void parse() {
    devices = (int) words.get(0);
    jobs = (int) words.get(1);
    clients = (int) words.get(2);
    waiters = (int) words.get(3);
    woken = (int) words.get(4);
    jobsAt = NUMBERS + devices * DEVICE_WORDS;
    clientsAt = jobsAt + jobs * JOB_WORDS;
    waitersAt = clientsAt + clients * clientWords();
    wokenAt = waitersAt + waiters * WAITER_WORDS;
  }

  private int clientWords() {
    return 2 + 2 * devices;
  }

  int devices() {
    return devices;
  }

  long free(int device) {
    return words.get(NUMBERS + device * DEVICE_WORDS);
  }

  long used(int device) {
    return words.get(NUMBERS + device * DEVICE_WORDS + 1);
  }

  long contexts(int device) {
    return words.get(NUMBERS + device * DEVICE_WORDS + 2);
  }

  int jobs() {
    return jobs;
  }

  long jobId(int i) {
    return words.get(jobsAt + i * JOB_WORDS);
  }

  boolean admitted(int i) {
    return words.get(jobsAt + i * JOB_WORDS + 1) != 0;
  }

  boolean holds(int i) {
    return words.get(jobsAt + i * JOB_WORDS + 2) != 0;
  }

  int clients() {
    return clients;
  }

  int slot(int i) {
    return (int) words.get(clientsAt + i * clientWords());
  }

  long jobOfClient(int i) {
    return words.get(clientsAt + i * clientWords() + 1);
  }

  long inUse(int i, int device) {
    return words.get(clientsAt + i * clientWords() + 2 + 2 * device);
  }

  long contextsOfClient(int i, int device) {
    return words.get(clientsAt + i * clientWords() + 3 + 2 * device);
  }

  int waiters() {
    return waiters;
  }

  long ticket(int i) {
    return words.get(waitersAt + i * WAITER_WORDS);
  }

  boolean granted(int i) {
    return words.get(waitersAt + i * WAITER_WORDS + 1) != 0;
  }

  boolean woke(long ticket) {
    for (int i = 0; i < woken; i++) {
      if (words.get(wokenAt + i) == ticket) {
        return true;
      }
    }
    return false;
  }
}
