import type { EventRecorder } from '../../../sdk/controller/event-recorder.ts'
import { referenceTo } from '../../../sdk/controller/event-recorder.ts'
import type { Container, ContainerRole, Pod } from '../../types/pod.ts'

export type Note = (type: 'Normal' | 'Warning', reason: string, message: string) => void

const FIELDS = { main: 'containers', init: 'initContainers', sidecar: 'initContainers', ephemeral: 'ephemeralContainers' } as const

/** Events about one container carry its path. */
export function containerNotes(events: EventRecorder, pod: Pod, container: Container, role: ContainerRole): Note {
  const path = `spec.${FIELDS[role]}{${container.name}}`
  return (type, reason, message) => events.record({ regarding: referenceTo(pod, path), type, reason, message })
}
