import type { ContainerRecord } from '../types/container-record.ts'

/** The result of a probe after its thresholds. `unknown`: no threshold is reached yet. */
export type ProbeResult = 'unknown' | 'success' | 'failure'

/** The results of liveness and startup probes by container id: containers that fail are killed. */
export interface ProbeResults {
  liveness(id: string): ProbeResult
  startup(id: string): ProbeResult
}

/** The probe results of a running container. */
export interface ProbeView {
  started(record: Pick<ContainerRecord, 'container' | 'role'>, id: string): boolean
  ready(record: Pick<ContainerRecord, 'container' | 'role'>, id: string): boolean
}
