package org.schedgpu.demo;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/**
 * What a program of the workload is like, as it says itself ({@code ara --describe}): the paper's
 * numbers and what follows from them. The only place where they are written down is the program.
 *
 * @param name the executable's name
 * @param aloneSeconds how long it takes when it is alone (Table 2)
 * @param cycles how often it uses the device
 * @param peakPercent of the device's memory while it uses it, its context included
 * @param averagePercent of the device's memory over its whole run (Table 1)
 * @param busyPercent of the run in which its kernels run (Table 1)
 * @param allocationMiB what it allocates, its context apart
 * @param contextMiB memory of a CUDA context
 * @param deviceMiB memory of the device
 * @param heldSeconds how long it holds memory when it is alone
 * @param busySeconds how long its kernels run when it is alone
 */
record Program(
    @JsonProperty("program") String name,
    double aloneSeconds,
    int cycles,
    double peakPercent,
    double averagePercent,
    double busyPercent,
    long allocationMiB,
    long contextMiB,
    long deviceMiB,
    double heldSeconds,
    double busySeconds) {

  /** The order of submission within a round; the executables' names. */
  static final List<String> NAMES = List.of("ara", "mummergpu", "gpu-blast");

  /** How many instances of each are submitted. */
  static final int INSTANCES = 4;

  /** The program to which the paper gives a high priority, because it takes the longest. */
  static final String PRIORITISED = "mummergpu";
}
