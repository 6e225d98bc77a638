/** Options of the CPU manager's `static` policy (`cpuManagerPolicyOptions`). */
export interface CpuManagerOptions {
  /** `distribute-cpus-across-numa`: from several NUMA nodes alike, where one does not do. */
  readonly acrossNuma?: boolean
  /** `distribute-cpus-across-cores`: single threads of many cores, instead of whole cores. */
  readonly acrossCores?: boolean
  /** `full-pcpus-only`: across NUMA nodes in whole cores. */
  readonly wholeCores?: boolean
  /** `prefer-align-cpus-by-uncorecache`: from as few last-level caches as can be. */
  readonly alignByCache?: boolean
  /** `align-by-socket`: nodes of one socket count as near as one node. */
  readonly alignBySocket?: boolean
  /** `strict-cpu-reservation`: nothing runs on the reserved processors. */
  readonly strictReservation?: boolean
}
