import type { EventRecorder } from '../../../sdk/controller/event-recorder.ts'
import type { runProbe } from '../../probes/run-probe.ts'
import type { ContainerRecord } from '../../types/container-record.ts'
import type { Pod } from '../../types/pod.ts'
import { containerNotes } from './notes.ts'

/** Records the event of a failed probe. */
export function recordProbeEvent(
  { events, pod, record }: { readonly events: EventRecorder; readonly pod: Pod; readonly record: ContainerRecord },
  kind: 'liveness' | 'readiness' | 'startup',
  outcome: Awaited<ReturnType<typeof runProbe>>,
): void {
  if (outcome.kind === 'success') return
  const note = containerNotes(events, pod, record.container, record.role)
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} probe`
  if (outcome.kind === 'warning') note('Warning', 'ProbeWarning', `${name} warning: ${outcome.output}`)
  else if (outcome.kind === 'failure') note('Warning', 'Unhealthy', `${name} failed: ${outcome.output}`)
  else note('Warning', 'Unhealthy', `${name} errored and resulted in unknown state: ${outcome.output}`)
}
