/** Options of the CPU manager's `static` policy (`cpuManagerPolicyOptions`). */
export interface CpuManagerOptions {
  /** `distribute-cpus-across-numa`: evenly from several NUMA nodes, if one does not suffice. */
  readonly acrossNuma?: boolean
  /** `distribute-cpus-across-cores`: single threads of many cores, instead of whole cores. */
  readonly acrossCores?: boolean
  /** `full-pcpus-only`: only whole cores. */
  readonly wholeCores?: boolean
  /** `prefer-align-cpus-by-uncorecache`: from as few last-level caches as possible. */
  readonly alignByCache?: boolean
  /** `align-by-socket`: NUMA nodes of one socket count as one. */
  readonly alignBySocket?: boolean
  /** `strict-cpu-reservation`: no container runs on the reserved CPUs. */
  readonly strictReservation?: boolean
}
