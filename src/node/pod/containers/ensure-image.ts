import type { Clock } from '../../../base/clock.ts'
import type { SparseMap } from '../../../base/collections/sparse-map.ts'
import { messageOf } from '../../../base/message-of.ts'
import { showGoDuration } from '../../../machinery/go/go-duration.ts'
import { withDefaultTag } from '../../runtime/default-tag.ts'
import type { Image, PullRequest, Runtime } from '../../runtime/runtime.ts'
import { RuntimeError } from '../../runtime/runtime-error.ts'
import type { ImageAccess, KnownLogin } from '../../types/image-access.ts'
import type { Container, Pod } from '../../types/pod.ts'
import type { BackOff } from '../plan/back-off.ts'
import type { Note } from '../report/notes.ts'
import { imageNameFault } from './image-name.ts'

/** The pulls of one pod. */
export interface Pulls {
  /** Their back-offs. */
  readonly backOff: BackOff
  /** The last error of each image. */
  readonly errors: SparseMap<string>
  /** Called before a long wait: reports the current status of the pod. */
  readonly delayed: () => Promise<void>
}

export interface ImageDeps {
  readonly runtime: Pick<Runtime, 'imageStatus' | 'pullImage'>
  /** What the machine adds to the pull of an image for a pod. */
  readonly completePull?: (pod: Pod, pull: PullRequest) => Promise<PullRequest>
  /** Who may pull and use images. Absent: every pod, without a login. */
  readonly images?: ImageAccess | undefined
  readonly clock: Clock
  readonly pulls: Pulls
}

export type ImageOutcome =
  | { readonly kind: 'image'; readonly image: Image }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string }

export interface ImageRequest {
  readonly pod: Pod
  readonly container: Container
  readonly note: Note
}

/** Returns a container's image, pulled if its policy requires that. */
export async function ensureImage(deps: ImageDeps, request: ImageRequest, signal: AbortSignal): Promise<ImageOutcome> {
  const { runtime } = deps
  const { container, note } = request
  const name = container.image
  await deps.pulls.delayed()
  signal.throwIfAborted()
  const fault = imageNameFault(name)
  if (fault !== undefined) {
    const message = `Failed to apply default image tag ${JSON.stringify(name)}: ${fault}`
    note('Warning', 'InspectFailed', message)
    return failed(note, 'InvalidImageName', message)
  }
  let present: Image | undefined
  try {
    present = await runtime.imageStatus(withDefaultTag(name), signal)
  } catch (error) {
    signal.throwIfAborted()
    // Upstream leaves the image name empty here.
    const message = `Failed to inspect image "": ${messageOf(error)}`
    note('Warning', 'InspectFailed', message)
    return failed(note, 'ImageInspectError', message)
  }
  const policy = container.imagePullPolicy
  if (policy !== 'Always' && present !== undefined && (await mayUse(deps, request, present, signal))) {
    note('Normal', 'Pulled', `Container image "${name}" already present on machine and can be accessed by the pod`)
    return { kind: 'image', image: present }
  }
  if (policy === 'Never') {
    // The same where it is present and the pod may not use it: whether it is there stays hidden.
    const message = `Container image "${name}" is not present with pull policy of Never`
    note('Warning', 'ErrImageNeverPull', message)
    return failed(note, 'ErrImageNeverPull', message)
  }
  // As in the kubelet, logins are asked for in back-off too.
  const logins = (await deps.images?.logins(request.pod, name, signal)) ?? []
  return pull(deps, { ...request, logins }, signal)
}

const mayUse = async ({ images }: ImageDeps, { pod, container }: ImageRequest, present: Image, signal: AbortSignal) =>
  images === undefined || images.mayUse(pod, { image: container.image, imageId: present.id }, signal)

interface PullInput extends ImageRequest {
  readonly logins: readonly KnownLogin[]
}

async function pull(deps: ImageDeps, input: PullInput, signal: AbortSignal): Promise<ImageOutcome> {
  const { clock, pulls } = deps
  const { container, note } = input
  const name = container.image
  const waiting = pulls.backOff.waiting(name, pulls.backOff.lastMs(name) ?? 0, clock.now())
  if (waiting !== undefined) {
    const message = `Back-off pulling image "${name}"`
    note('Normal', 'BackOff', message)
    return failed(note, 'ImagePullBackOff', `${message}: ${pulls.errors.get(name) ?? ''}`)
  }
  note('Normal', 'Pulling', `Pulling image "${name}"`)
  const started = clock.monotonic()
  try {
    const image = await pullAs(deps, input, signal)
    const took = showGoDuration(Math.trunc(clock.monotonic() - started))
    note(
      'Normal',
      'Pulled',
      `Successfully pulled image "${name}" in ${took} (${took} including waiting). Image size: ${image.sizeBytes} bytes.`,
    )
    pulls.errors.delete(name)
    return { kind: 'image', image }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof RuntimeError)) throw error
    note('Warning', 'Failed', `Failed to pull image "${name}": ${error.message}`)
    const { reason, message } = reasonOf(name, error)
    pulls.backOff.next(name, clock.now(), clock.now())
    pulls.errors.set(name, `${reason}: ${error.message}`)
    return failed(note, reason, message)
  }
}

/** Tries one login after the other; rejects with what was said to all of them. */
async function pullAs(deps: ImageDeps, { pod, container, logins }: PullInput, signal: AbortSignal): Promise<Image> {
  const { runtime, images } = deps
  const { image } = container
  const errors: RuntimeError[] = []
  await images?.pulling(image)
  for (const known of logins.length === 0 ? [undefined] : logins) {
    const request = { image: withDefaultTag(image), ...(known && { login: known.login }) }
    try {
      const pulled = await runtime.pullImage((await deps.completePull?.(pod, request)) ?? request, signal)
      await images?.pulled(image, pulled.id, known)
      return pulled
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof RuntimeError)) throw error
      errors.push(error)
    }
  }
  await images?.failed(image)
  throw together(errors)
}

/** Errors as Go's aggregates word them: each text once. */
function together(errors: readonly RuntimeError[]): RuntimeError {
  const [first] = errors
  const texts = new Set(errors.map((error) => error.message))
  if (first === undefined || texts.size === 1) return first ?? new RuntimeError('runtime', 'nothing was tried')
  return new RuntimeError(first.code, `[${[...texts].join(', ')}]`, { cause: first })
}

function reasonOf(name: string, error: RuntimeError): { readonly reason: string; readonly message: string } {
  const detail = error.message.replace(/^(RegistryUnavailable|SignatureValidationFailed): /, '')
  switch (error.code) {
    case 'registry-unavailable':
      return { reason: 'RegistryUnavailable', message: `image pull failed for ${name} because the registry is unavailable: ${detail}` }
    case 'signature-invalid':
      return {
        reason: 'SignatureValidationFailed',
        message: `image pull failed for ${name} because the signature validation failed: ${detail}`,
      }
    default:
      return { reason: 'ErrImagePull', message: error.message }
  }
}

function failed(note: Note, reason: string, message: string): Extract<ImageOutcome, { kind: 'failed' }> {
  note('Warning', 'Failed', `Error: ${reason}`)
  return { kind: 'failed', reason, message }
}
