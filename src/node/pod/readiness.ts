import type { Clock } from '../../base/clock.ts'
import type { ContainerRecord } from './container-record.ts'
import type { Container } from './pod-types.ts'

export type ProbeState = 'started' | 'ready'

/**
 * Tells when a container that has just started passes its startup and its readiness probe. The simulated runtime's probes succeed whenever
 * they are asked, so only their delays count here.
 */
export function watchReadiness(container: Container, clock: Clock, tell: (state: ProbeState) => void): void {
  const { startupProbe, readinessProbe } = container
  if (startupProbe === undefined && readinessProbe === undefined) return
  const startMs = startupProbe === undefined ? 0 : (startupProbe.initialDelaySeconds ?? 0) * 1000
  const readyMs = readinessProbe === undefined ? startMs : Math.max(startMs, (readinessProbe.initialDelaySeconds ?? 0) * 1000)
  if (startupProbe !== undefined) clock.after(startMs, () => tell('started'))
  clock.after(readyMs, () => tell('ready'))
}

/** The record after a probe has succeeded. */
export function ready(record: ContainerRecord, state: ProbeState): ContainerRecord {
  const done = state === 'ready' || record.container.readinessProbe === undefined
  return { ...record, started: true, ready: record.ready || (record.role !== 'init' && done) }
}
