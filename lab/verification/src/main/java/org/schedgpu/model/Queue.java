package org.schedgpu.model;

/** One of the two queues of a device. */
record Queue(int device, Type type) {

  /** In the order in which the core serves them. */
  enum Type {
    /** Contexts, and every request of a job that is not admitted. */
    CONTEXT,
    /** Memory of admitted jobs. */
    MEMORY;

    static Type of(Waiter waiter) {
      return waiter.isContext() || !waiter.job.admitted ? CONTEXT : MEMORY;
    }
  }
}
