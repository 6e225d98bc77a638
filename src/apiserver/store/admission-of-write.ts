import { isQualifiedName } from '../../machinery/names.ts'
import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import type { AdmissionRequest, Operation } from '../admission/plugin.ts'
import type { ServedResource } from '../cache/resource-registry.ts'
import type { Trail } from '../request/trail.ts'
import type { Write } from './write.ts'

/** The object and options that admission sees, beyond those of the write. */
export interface AdmissionSubject {
  readonly operation: Operation
  readonly name: string
  /** Set if they differ from those of the write. */
  readonly options?: KubeObject
  readonly object?: KubeObject | undefined
  readonly oldObject?: KubeObject | undefined
}

/** A write as admission plugins see it; made once per write. It reads from the request and the write by reference. */
export class AdmissionOfWrite implements AdmissionRequest {
  readonly write: Write
  readonly operation: Operation
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
  readonly options: KubeObject
  /** `''` until a generated name is drawn. */
  name: string
  object: KubeObject | undefined
  oldObject: KubeObject | undefined
  /** The mutating plugins are to run once more. */
  isReinvocationRequired = false

  constructor(write: Write, subject: AdmissionSubject) {
    const { resource, kind } = namesOf(write.served)
    this.write = write
    this.operation = subject.operation
    this.resource = resource
    this.kind = inputKind(write) ?? kind
    this.options = subject.options ?? admittedOptions(write.options, subject.operation)
    this.name = subject.name
    this.object = subject.object
    this.oldObject = subject.oldObject
  }

  get subresource(): string {
    return this.write.place.subresource
  }

  get namespace(): string {
    return this.write.place.namespace
  }

  get pathName(): string {
    return this.write.place.name
  }

  get user(): UserInfo {
    return this.write.request.user
  }

  get trail(): Trail | undefined {
    return this.write.request.trail
  }

  get dryRun(): boolean {
    return this.write.dryRun
  }

  get prunedFields(): ReadonlySet<string> | undefined {
    return this.write.prunedFields
  }

  set prunedFields(fields: ReadonlySet<string> | undefined) {
    this.write.prunedFields = fields
  }

  requireReinvocation(): void {
    this.isReinvocationRequired = true
  }

  warn(text: string): void {
    this.write.request.warn(text)
  }

  annotate(key: string, value: string, level?: 'Request'): void {
    if (key.includes('/') && isQualifiedName(key)) this.write.request.annotate(key, value, level)
  }
}

/** A patch is admitted with the options of the create or update that it makes. */
function admittedOptions(options: KubeObject, operation: Operation): KubeObject {
  if (options.kind !== 'PatchOptions') return options
  const { force: _, ...rest } = options as KubeObject & { readonly force?: boolean }
  return { ...rest, kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions' }
}

/** The kind of the input of a subresource, if it is not the resource's own. */
function inputKind({ subresource }: Write): GroupVersionKind | undefined {
  if (subresource?.kind === 'scale') return SCALE
  return subresource?.kind === 'action' || subresource?.kind === 'connect' ? subresource.input : undefined
}

const SCALE: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }

interface Names {
  readonly resource: GroupVersionResource
  readonly kind: GroupVersionKind
}

const names = new WeakMap<ServedResource, Names>()

/** The names of a resource as it is served; cached. */
function namesOf(served: ServedResource): Names {
  let found = names.get(served)
  if (found === undefined) {
    const { definition, version } = served
    const groupVersion = { group: definition.group, version: version.version }
    found = {
      resource: { ...groupVersion, resource: definition.names.plural },
      kind: { ...groupVersion, kind: definition.names.kind },
    }
    names.set(served, found)
  }
  return found
}
