import type { Clock } from '../../base/clock.ts'
import type { EventRecorder } from '../../sdk/controller/event-recorder.ts'
import { referenceTo } from '../../sdk/controller/event-recorder.ts'
import { type Image, type Runtime, RuntimeError, type Sandbox, type StartedContainer } from '../runtime/runtime.ts'
import type { ContainerRecord } from './container-record.ts'
import type { Container, ContainerRole, Pod } from './pod-types.ts'
import { missingEnvironment, type References } from './references.ts'

export interface StarterDeps {
  readonly runtime: Runtime
  readonly events: EventRecorder
  readonly references: References
  readonly clock: Clock
}

export type StartOutcome =
  | { readonly kind: 'started'; readonly container: StartedContainer; readonly image: Image }
  /** `retry: 'pull'` waits with the image back-off, `config` is tried again soon, `never` only when the pod changes. */
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string; readonly retry: 'pull' | 'config' | 'never' }

/** Gets the image, makes the environment, starts the container; each step leaves the kubelet's event. */
export async function startContainer(
  deps: StarterDeps,
  pod: Pod,
  record: ContainerRecord,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<StartOutcome> {
  const { container } = record
  const note = containerNotes(deps.events, pod, container, record.role)
  const got = await getImage(deps, container, note, signal)
  if (got.kind === 'failed') return got
  const fault = await missingEnvironment(pod, container, deps.references)
  if (fault !== undefined) {
    note('Warning', 'Failed', `Error: ${fault}`)
    return { kind: 'failed', reason: 'CreateContainerConfigError', message: fault, retry: 'config' }
  }
  const attempt = record.last === undefined && record.state.kind === 'waiting' ? record.restartCount : record.restartCount + 1
  try {
    const started = await deps.runtime.startContainer({ pod, sandbox, container, attempt, signal })
    note('Normal', 'Created', 'Container created')
    note('Normal', 'Started', 'Container started')
    return { kind: 'started', container: started, image: got.image }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    note('Warning', 'Failed', `Error: ${error.message}`)
    return { kind: 'failed', reason: 'RunContainerError', message: error.message, retry: 'pull' }
  }
}

export type Note = (type: 'Normal' | 'Warning', reason: string, message: string) => void

/** Events about one container carry its path. */
export function containerNotes(events: EventRecorder, pod: Pod, container: Container, role: ContainerRole): Note {
  const path = `spec.${role === 'main' ? 'containers' : 'initContainers'}{${container.name}}`
  return (type, reason, message) => events.record({ regarding: referenceTo(pod, path), type, reason, message })
}

type ImageOutcome = { readonly kind: 'image'; readonly image: Image } | Extract<StartOutcome, { kind: 'failed' }>

async function getImage(deps: StarterDeps, container: Container, note: Note, signal: AbortSignal): Promise<ImageOutcome> {
  const { runtime, clock } = deps
  const name = container.image
  const present = runtime.findImage(name)
  if (container.imagePullPolicy !== 'Always' && present !== undefined) {
    note('Normal', 'Pulled', `Container image "${name}" already present on machine and can be accessed by the pod`)
    return { kind: 'image', image: present }
  }
  if (container.imagePullPolicy === 'Never') {
    const message = `Container image "${name}" is not present with pull policy of Never`
    note('Warning', 'ErrImageNeverPull', message)
    note('Warning', 'Failed', 'Error: ErrImageNeverPull')
    return { kind: 'failed', reason: 'ErrImageNeverPull', message, retry: 'never' }
  }
  note('Normal', 'Pulling', `Pulling image "${name}"`)
  const started = clock.monotonic()
  try {
    const image = await runtime.pullImage(name, signal)
    const took = `${Math.round(clock.monotonic() - started)}ms`
    note(
      'Normal',
      'Pulled',
      `Successfully pulled image "${name}" in ${took} (${took} including waiting). Image size: ${image.sizeBytes} bytes.`,
    )
    return { kind: 'image', image }
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error
    note('Warning', 'Failed', `Failed to pull image "${name}": ${error.message}`)
    note('Warning', 'Failed', 'Error: ErrImagePull')
    return { kind: 'failed', reason: 'ErrImagePull', message: error.message, retry: 'pull' }
  }
}
