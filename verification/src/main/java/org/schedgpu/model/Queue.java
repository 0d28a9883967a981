package org.schedgpu.model;

/** One of the two queues of a device. */
record Queue(int device, Type type) {

  /** In the order in which they are served. */
  enum Type {
    /** Contexts, and whatever a job that is not admitted asks for. */
    CONTEXT,
    /** Memory of admitted jobs. */
    MEMORY;

    static Type of(Waiter waiter) {
      return waiter.isContext() || !waiter.job.admitted ? CONTEXT : MEMORY;
    }
  }
}
