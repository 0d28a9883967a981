package org.schedgpu.model;

import java.nio.LongBuffer;
import org.schedgpu.jna.CoreLibrary;

/** The state that schedgpu_core_read() writes. */
final class CoreState {
  private static final int NUMBERS = 6;
  private static final int DEVICE_WORDS = 3;
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
  private int endedAt;
  private long ended;

  CoreState(LongBuffer words) {
    this.words = words;
  }

  void parse() {
    devices = (int) words.get(0);
    jobs = (int) words.get(1);
    clients = (int) words.get(2);
    waiters = (int) words.get(3);
    woken = (int) words.get(4);
    ended = words.get(5);
    jobsAt = NUMBERS + devices * DEVICE_WORDS;
    clientsAt = jobsAt + jobs * jobWords();
    waitersAt = clientsAt + clients * clientWords();
    wokenAt = waitersAt + waiters * WAITER_WORDS;
    endedAt = wokenAt + woken;
  }

  private int jobWords() {
    return 9 + 2 * devices;
  }

  private int endedWords() {
    return 7 + 2 * devices;
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
    return words.get(jobsAt + i * jobWords());
  }

  boolean admitted(int i) {
    return words.get(jobsAt + i * jobWords() + 1) != 0;
  }

  boolean holds(int i) {
    return words.get(jobsAt + i * jobWords() + 2) != 0;
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

  /** The number of jobs that ended so far. */
  long ended() {
    return ended;
  }

  /** The number of ended jobs that can be read: {@code i} is 0 for the youngest. */
  int endedShown() {
    return (int) Math.min(ended, CoreLibrary.ENDED);
  }

  private long ofEnded(int i, int word) {
    return words.get(endedAt + i * endedWords() + word);
  }

  long endedId(int i) {
    return ofEnded(i, 0);
  }

  long endedNs(int i) {
    return ofEnded(i, 1);
  }

  long endedWaits(int i) {
    return ofEnded(i, 2);
  }

  long endedWaitedNs(int i) {
    return ofEnded(i, 3);
  }

  long endedHeldNs(int i) {
    return ofEnded(i, 4);
  }

  long endedRefusals(int i) {
    return ofEnded(i, 5);
  }

  long endedRefusedBytes(int i) {
    return ofEnded(i, 6);
  }

  long endedPeak(int i, int device) {
    return ofEnded(i, 7 + device);
  }

  long endedContextPeak(int i, int device) {
    return ofEnded(i, 7 + devices + device);
  }

  private long ofJob(int i, int word) {
    return words.get(jobsAt + i * jobWords() + word);
  }

  long waits(int i) {
    return ofJob(i, 3);
  }

  long waitedNs(int i) {
    return ofJob(i, 4);
  }

  long heldNs(int i, long nowNs) {
    long since = ofJob(i, 5);
    return since == 0 ? ofJob(i, 6) : nowNs - since;
  }

  long refusals(int i) {
    return ofJob(i, 7);
  }

  long refusedBytes(int i) {
    return ofJob(i, 8);
  }

  long peak(int i, int device) {
    return ofJob(i, 9 + device);
  }

  long contextPeak(int i, int device) {
    return ofJob(i, 9 + devices + device);
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
