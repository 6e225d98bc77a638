import type { KubeObject } from '../../machinery/object.ts'
import type { AdmissionRequest, Operation } from '../admission/plugin.ts'
import { type Call, requestVersion } from './call.ts'
import { convert } from './conversion.ts'

export interface AdmissionSubject {
  readonly operation: Operation
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly name: string
  readonly options: KubeObject
  readonly dryRun: boolean
}

/** The request as admission plugins see it. */
function admissionRequest(call: Call, subject: AdmissionSubject): AdmissionRequest {
  const { definition, version } = call.served
  const input = call.subresource?.kind === 'action' || call.subresource?.kind === 'connect' ? call.subresource.input : undefined
  const scale = call.subresource?.kind === 'scale' ? { group: 'autoscaling', version: 'v1', kind: 'Scale' } : undefined
  return {
    operation: subject.operation,
    resource: { group: definition.group, version: version.version, resource: definition.names.plural },
    kind: input ?? scale ?? { group: definition.group, version: version.version, kind: definition.names.kind },
    subresource: call.target.subresource,
    namespace: call.target.namespace,
    name: subject.name,
    user: call.user,
    dryRun: subject.dryRun,
    object: subject.object,
    oldObject: subject.oldObject,
    options: subject.options,
    warn: (text) => call.warn(text),
    annotate: (key, value) => call.annotate(key, value),
  }
}

/** Runs the mutating plugins. Resolves with the object as they leave it, in the apiVersion in which it came. */
export async function mutate(call: Call, subject: AdmissionSubject): Promise<KubeObject | undefined> {
  const working = subject.object?.apiVersion
  const request = admissionRequest(call, await inRequestVersion(call, subject))
  for (const plugin of call.deps.admission) {
    if (plugin.mutate === undefined || !plugin.handles(request)) continue
    const pending = plugin.mutate(request)
    if (pending !== undefined) await pending
  }
  for (const plugin of call.deps.admission) {
    const pending = plugin.reinvoke?.(request)
    if (pending !== undefined) await pending
  }
  if (request.object === undefined || working === undefined) return request.object
  return convert(call.served.definition, request.object, working)
}

/** Runs the validating plugins; one that refuses throws. */
export async function validate(call: Call, subject: AdmissionSubject): Promise<void> {
  const request = admissionRequest(call, await inRequestVersion(call, subject))
  for (const plugin of call.deps.admission) {
    if (plugin.validate === undefined || !plugin.handles(request)) continue
    const pending = plugin.validate(request)
    if (pending !== undefined) await pending
  }
}

async function inRequestVersion(call: Call, subject: AdmissionSubject): Promise<AdmissionSubject> {
  const { definition } = call.served
  if (call.subresource?.kind === 'scale' || call.subresource?.kind === 'action' || call.subresource?.kind === 'connect') return subject
  const wanted = requestVersion(call)
  const right = (o: KubeObject | undefined) => o === undefined || o.apiVersion === wanted
  if (right(subject.object) && right(subject.oldObject)) return subject
  return {
    ...subject,
    object: subject.object && (await convert(definition, subject.object, wanted)),
    oldObject: subject.oldObject && (await convert(definition, subject.oldObject, wanted)),
  }
}
