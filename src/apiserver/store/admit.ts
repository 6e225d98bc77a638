import { inOrder } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { AdmissionPlugin, AdmissionRequest, Operation } from '../admission/plugin.ts'
import { convert } from './conversion.ts'
import { requestVersion, type Write } from './write.ts'

export interface AdmissionSubject {
  readonly operation: Operation
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly name: string
  /** When they are not those of the write. */
  readonly options?: KubeObject
}

/** The request as admission plugins see it. */
function admissionRequest(write: Write, subject: AdmissionSubject): AdmissionRequest {
  const { definition, version } = write.served
  const input = write.subresource?.kind === 'action' || write.subresource?.kind === 'connect' ? write.subresource.input : undefined
  const scale = write.subresource?.kind === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : undefined
  return {
    operation: subject.operation,
    resource: { group: definition.group, version: version.version, resource: definition.names.plural },
    kind: input ?? scale ?? { group: definition.group, version: version.version, kind: definition.names.kind },
    subresource: write.place.subresource,
    namespace: write.place.namespace,
    name: subject.name,
    user: write.request.user,
    dryRun: write.dryRun,
    object: subject.object,
    oldObject: subject.oldObject,
    options: subject.options ?? write.options,
    warn: (text) => write.request.warn(text),
    annotate: (key, value, level) => write.request.annotate(key, value, level),
  }
}

/** Runs the mutating plugins. Resolves with the object as they leave it, in the apiVersion in which it came. */
export function mutate(write: Write, subject: AdmissionSubject): Later<KubeObject | undefined> {
  const seen = inRequestVersion(write, subject)
  const working = subject.object?.apiVersion
  return seen instanceof Promise ? seen.then((s) => runMutating(write, s, working)) : runMutating(write, seen, working)
}

/** At once, where nobody has to be waited for. */
type Later<T> = T | Promise<T>

function runMutating(write: Write, subject: AdmissionSubject, working: string | undefined): Later<KubeObject | undefined> {
  const request = admissionRequest(write, subject)
  const { mutating, reinvoked } = partsOf(write.admission)
  const reinvoke = () => inOrder(reinvoked, (plugin) => plugin.reinvoke?.(request))
  const result = () => {
    if (request.object === undefined || working === undefined) return request.object
    return convert(write.served.definition, request.object, working)
  }
  const mutated = inOrder(mutating, (plugin) => (plugin.handles(request) ? plugin.mutate?.(request) : undefined))
  const done = mutated === undefined ? reinvoke() : mutated.then(reinvoke)
  return done === undefined ? result() : done.then(result)
}

/** Runs the validating plugins; one that refuses throws. */
export function validate(write: Write, subject: AdmissionSubject): Later<void> {
  const seen = inRequestVersion(write, subject)
  return seen instanceof Promise ? seen.then((s) => runValidating(write, s)) : runValidating(write, seen)
}

function runValidating(write: Write, subject: AdmissionSubject): Later<void> {
  const request = admissionRequest(write, subject)
  const { validating } = partsOf(write.admission)
  return inOrder(validating, (plugin) => (plugin.handles(request) ? plugin.validate?.(request) : undefined))
}

/** The plugins that have something to do in each phase: of thirty, few in any. */
interface Parts {
  readonly mutating: readonly AdmissionPlugin[]
  readonly reinvoked: readonly AdmissionPlugin[]
  readonly validating: readonly AdmissionPlugin[]
}

const parts = new WeakMap<readonly AdmissionPlugin[], Parts>()

function partsOf(plugins: readonly AdmissionPlugin[]): Parts {
  let found = parts.get(plugins)
  if (found === undefined) {
    found = {
      mutating: plugins.filter((p) => p.mutate !== undefined),
      reinvoked: plugins.filter((p) => p.reinvoke !== undefined),
      validating: plugins.filter((p) => p.validate !== undefined),
    }
    parts.set(plugins, found)
  }
  return found
}

function inRequestVersion(write: Write, subject: AdmissionSubject): Later<AdmissionSubject> {
  const { definition } = write.served
  if (write.subresource?.kind === 'scale' || write.subresource?.kind === 'action' || write.subresource?.kind === 'connect') return subject
  const wanted = requestVersion(write)
  const right = (o: KubeObject | undefined) => o === undefined || o.apiVersion === wanted
  if (right(subject.object) && right(subject.oldObject)) return subject
  const { object, oldObject } = subject
  return Promise.all([object && convert(definition, object, wanted), oldObject && convert(definition, oldObject, wanted)]).then(
    ([object, oldObject]) => ({ ...subject, object, oldObject }),
  )
}
