import type { ContainerRecord } from '../types/container-record.ts'

/** The result of a probe after its thresholds. `unknown`: it has not been decided yet. */
export type ProbeResult = 'unknown' | 'success' | 'failure'

/** What liveness and startup probes have found, by container id: containers that fail are killed. */
export interface ProbeResults {
  liveness(id: string): ProbeResult
  startup(id: string): ProbeResult
}

/** What probes say of a running container. */
export interface ProbeView {
  /** No probe has run yet: what runs counts as started and ready. */
  readonly unasked?: boolean
  started(record: Pick<ContainerRecord, 'container' | 'role'>, id: string): boolean
  ready(record: Pick<ContainerRecord, 'container' | 'role'>, id: string): boolean
}
