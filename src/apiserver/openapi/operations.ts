import type { GroupVersionKind } from '../../machinery/object.ts'
import { type ResourceDefinition, type ResourceVersion, type Subresource, subresourcesOf } from '../../machinery/resource/definition.ts'
import type { Schema } from '../../machinery/schema/schema.ts'
import { type Kinds, metaSchema } from '../kinds.ts'
import { LIST_PARAMETERS, optionParameters, PARAMETERS, type Parameter, pathParameter } from './parameters.ts'

/** One method on one path, in terms that OpenAPI v2 and v3 share. */
export interface Operation {
  readonly method: string
  readonly id: string
  readonly action: string
  readonly kind: GroupVersionKind
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly schema: Schema | 'patch'; readonly required: boolean }
  /** The body of a successful response; `text` is an opaque string. */
  readonly result: Schema | 'text'
  /** The status codes of success. */
  readonly codes: readonly number[]
  readonly produces: readonly string[]
  /** The media types of the body. */
  readonly consumes: readonly string[]
}

/** `/api/v1`, or `/apis/apps/v1`. */
export const rootOf = (gv: { readonly group: string; readonly version: string }): string =>
  gv.group === '' ? `/api/${gv.version}` : `/apis/${gv.group}/${gv.version}`

/** `rbac.authorization.k8s.io` → `rbacAuthorization`: the group's name in tags and operation ids. */
export const groupTag = (group: string): string => {
  if (group === '') return 'core'
  const [first = '', ...more] = group.replace(/\.k8s\.io$/, '').split(/[.-]/)
  return first + more.map(capital).join('')
}

/** The word with a capital first letter. */
export const capital = (word: string) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`

/** A served version of a resource: its object and its list. */
export interface Served {
  readonly definition: ResourceDefinition
  readonly version: ResourceVersion
  readonly object: Schema
  readonly list: Schema
}

/** Every path of a resource with its operations. */
export function resourcePaths(kinds: Kinds, served: Served): Map<string, Operation[]> {
  return new PathWriter(kinds, served).write()
}

const MEDIA = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']
const CUSTOM_MEDIA = ['application/json', 'application/yaml']
const ANY_MEDIA = ['*/*']
const CUSTOM_PATCHES = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml']
const PATCHES = [...CUSTOM_PATCHES.slice(0, 2), 'application/strategic-merge-patch+json', ...CUSTOM_PATCHES.slice(2)]

class PathWriter {
  readonly #kinds: Kinds
  readonly #served: Served
  readonly #paths = new Map<string, Operation[]>()
  readonly #kind: GroupVersionKind
  readonly #media: readonly string[]
  readonly #scope: string
  /** Documents of custom resources are written by another part of Kubernetes, with rules of its own. */
  readonly #custom: boolean

  constructor(kinds: Kinds, served: Served) {
    this.#kinds = kinds
    this.#served = served
    const { definition, version } = served
    this.#kind = { group: definition.group, version: version.version, kind: definition.names.kind }
    this.#custom = definition.customDefinition !== undefined
    this.#media = this.#custom ? CUSTOM_MEDIA : MEDIA
    this.#scope = definition.scope === 'Namespaced' ? 'Namespaced' : ''
  }

  write(): Map<string, Operation[]> {
    const { definition, version } = this.#served
    const { plural } = definition.names
    const root = rootOf(this.#kind)
    const home = definition.scope === 'Namespaced' ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`
    this.#collection(home)
    if (this.#serves('get')) this.#object(`${home}/{name}`)
    for (const [name, sub] of Object.entries(subresourcesOf(definition, version))) this.#subresource(`${home}/{name}/${name}`, name, sub)
    if (this.#serves('list') && definition.scope === 'Namespaced') {
      this.#list(`${root}/${plural}`, 'ForAllNamespaces')
      if (this.#watched) this.#watch(`${root}/watch/${plural}`, 'watchlist', 'ListForAllNamespaces')
    }
    if (this.#watched) {
      const watched = home.replace(root, `${root}/watch`)
      this.#watch(watched, 'watchlist', 'List')
      this.#watch(`${watched}/{name}`, 'watch', '')
    }
    return this.#paths
  }

  /** Whether there are the deprecated paths below `/watch`. */
  get #watched(): boolean {
    return this.#serves('watch') && !this.#custom
  }

  #serves(verb: string): boolean {
    const { definition } = this.#served
    if (definition.verbs !== undefined) return definition.verbs.some((v) => v === verb)
    return definition.review === undefined || verb === 'create'
  }

  #collection(path: string) {
    const { object } = this.#served
    if (this.#serves('list')) this.#list(path, '')
    if (this.#serves('create')) {
      this.#add(path, 'post', 'create', 'post', `create ${this.#article()} ${this.#kind.kind}`, {
        parameters: WRITE,
        body: { schema: object, required: true },
        result: object,
        codes: [200, 201, 202],
      })
    }
    if (this.#serves('deletecollection')) {
      this.#add(path, 'delete', 'delete', 'deletecollection', `delete collection of ${this.#kind.kind}`, {
        ...(this.#custom ? { parameters: LIST_PARAMETERS } : this.#deletion()),
        result: metaSchema(this.#kinds, 'Status'),
        codes: [200],
        id: `deleteCollection`,
      })
    }
  }

  #deletion(): Pick<More, 'parameters' | 'body'> {
    const parameters = [...LIST_PARAMETERS.filter((p) => p.name !== 'watch' && p.name !== 'allowWatchBookmarks'), ...DELETE]
    return { parameters, body: { schema: metaSchema(this.#kinds, 'DeleteOptions'), required: false } }
  }

  #list(path: string, everywhere: 'ForAllNamespaces' | '') {
    this.#add(path, 'get', 'list', 'list', `list or watch objects of kind ${this.#kind.kind}`, {
      parameters: LIST_PARAMETERS,
      result: this.#served.list,
      codes: [200],
      produces: this.#streams(),
      suffix: everywhere,
    })
  }

  #object(path: string) {
    const { object, definition } = this.#served
    const { kind } = this.#kind
    if (this.#serves('get')) this.#read(path, object, `read the specified ${kind}`, '')
    if (this.#serves('update')) this.#replace(path, object, `replace the specified ${kind}`, '')
    if (this.#serves('delete')) {
      this.#add(path, 'delete', 'delete', 'delete', `delete ${this.#article()} ${kind}`, {
        parameters: DELETE,
        body: { schema: metaSchema(this.#kinds, 'DeleteOptions'), required: false },
        result: definition.customDefinition === undefined && RETURNS_DELETED.has(kind) ? object : metaSchema(this.#kinds, 'Status'),
        codes: [200, 202],
      })
    }
    if (this.#serves('patch')) this.#patch(path, object, `partially update the specified ${kind}`, '')
  }

  #subresource(path: string, name: string, sub: Subresource) {
    const { object } = this.#served
    const about = `${name} of the specified ${this.#kind.kind}`
    const suffix = capital(name)
    const written = { suffix, subresource: name }
    switch (sub.kind) {
      case 'status':
      case 'part': {
        const verbs = sub.verbs ?? ['get', 'update', 'patch']
        if (verbs.includes('get')) this.#read(path, object, `read ${about}`, suffix)
        if (verbs.includes('update')) this.#replace(path, object, `replace ${about}`, suffix)
        if (verbs.includes('patch')) this.#patch(path, object, `partially update ${about}`, suffix)
        return
      }
      case 'scale': {
        const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' }
        const scale = this.#kinds.schema('autoscaling', 'v1', 'Scale')
        this.#read(path, scale, `read ${about}`, suffix, kind)
        this.#replace(path, scale, `replace ${about}`, suffix, kind)
        this.#patch(path, scale, `partially update ${about}`, suffix, kind)
        return
      }
      case 'action': {
        const input = this.#kinds.schema(sub.input.group, sub.input.version, sub.input.kind)
        this.#add(path, 'post', 'create', 'post', `create ${name} of ${this.#article()} ${this.#kind.kind}`, {
          parameters: WRITE,
          body: { schema: input, required: true },
          result: input,
          codes: [200, 201, 202],
          kind: sub.input,
          ...written,
        })
        return
      }
      case 'connect':
        this.#connect(path, name, sub)
    }
  }

  #connect(path: string, name: string, sub: Extract<Subresource, { kind: 'connect' }>) {
    const input = sub.input ?? (name === 'log' ? { group: '', version: 'v1', kind: 'PodLogOptions' } : undefined)
    const options = input === undefined ? [] : optionParameters(this.#kinds, this.#kinds.schema(input.group, input.version, input.kind))
    if (name === 'log') {
      const parameters = [PARAMETERS.pretty, ...options]
      const more = { parameters, result: 'text', codes: [200], suffix: 'Log', produces: ['text/plain', ...this.#media] } as const
      this.#add(path, 'get', 'read', 'get', `read ${name} of the specified ${this.#kind.kind}`, more)
      return
    }
    const paths = name === 'proxy' ? [path, `${path}/{path}`] : [path]
    for (const one of paths) {
      for (const method of sub.methods) {
        this.#add(
          one,
          method.toLowerCase(),
          'connect',
          'connect',
          `connect ${method.toUpperCase()} requests to ${name} of ${this.#kind.kind}`,
          {
            parameters: options,
            result: 'text',
            codes: [200],
            produces: ['*/*'],
            ...(sub.input !== undefined ? { kind: sub.input } : {}),
            id: `connect${capital(method.toLowerCase())}`,
            suffix: `${capital(name)}${one === path ? '' : 'WithPath'}`,
          },
        )
      }
    }
  }

  #read(path: string, result: Schema, description: string, suffix: string, kind = this.#kind) {
    this.#add(path, 'get', 'read', 'get', description, { parameters: [PARAMETERS.pretty], result, codes: [200], suffix, kind })
  }

  #replace(path: string, schema: Schema, description: string, suffix: string, kind = this.#kind) {
    const more = { parameters: WRITE, body: { schema, required: true }, result: schema, codes: [200, 201], suffix, kind }
    this.#add(path, 'put', 'replace', 'put', description, more)
  }

  #patch(path: string, result: Schema, description: string, suffix: string, kind = this.#kind) {
    const more = {
      parameters: [...WRITE, PARAMETERS.force],
      body: { schema: 'patch', required: true },
      result,
      codes: this.#custom ? [200] : [200, 201],
      suffix,
      kind,
    } as const
    this.#add(path, 'patch', 'patch', 'patch', description, more)
  }

  #watch(path: string, action: 'watch' | 'watchlist', suffix: string) {
    const what = action === 'watch' ? 'changes to one object' : 'changes to a list'
    this.#add(path, 'get', 'watch', action, `watch ${what} of kind ${this.#kind.kind}; deprecated: list with the parameter watch`, {
      parameters: LIST_PARAMETERS,
      result: metaSchema(this.#kinds, 'WatchEvent'),
      codes: [200],
      produces: this.#streams(),
      suffix,
    })
  }

  #streams(): readonly string[] {
    if (this.#custom) return this.#media
    return [...this.#media, ...this.#media.filter((m) => m !== 'application/yaml').map((m) => `${m};stream=watch`)]
  }

  #consumes(patch: boolean): readonly string[] {
    if (patch) return this.#custom ? CUSTOM_PATCHES : PATCHES
    return this.#custom ? CUSTOM_MEDIA : ANY_MEDIA
  }

  #article(): string {
    return /^[AEIO]/.test(this.#kind.kind) ? 'an' : 'a'
  }

  #add(path: string, method: string, verb: string, action: string, description: string, more: More) {
    const everywhere = more.suffix?.endsWith('ForAllNamespaces') === true
    const [before, after = ''] = (more.id ?? verb).split(/(?=[A-Z])/)
    const group = `${capital(groupTag(this.#kind.group))}${capital(this.#kind.version)}`
    const id = `${before}${group}${after}${everywhere ? '' : this.#scope}${this.#kind.kind}${more.suffix ?? ''}`
    const parameters = [...more.parameters, ...pathParameters(path, this.#kind.kind)]
    const operation: Operation = {
      method,
      id,
      action,
      kind: more.kind ?? this.#kind,
      description,
      parameters,
      ...(more.body ? { body: more.body } : {}),
      result: more.result,
      codes: more.codes,
      produces: more.produces ?? this.#media,
      consumes: this.#consumes(more.body?.schema === 'patch'),
    }
    const known = this.#paths.get(path)
    if (known) known.push(operation)
    else this.#paths.set(path, [operation])
  }
}

interface More {
  readonly parameters: readonly Parameter[]
  readonly body?: NonNullable<Operation['body']>
  readonly result: Operation['result']
  readonly codes: readonly number[]
  readonly kind?: GroupVersionKind
  readonly produces?: readonly string[]
  readonly suffix?: string
  readonly id?: string
}

const WRITE: readonly Parameter[] = [PARAMETERS.pretty, PARAMETERS.dryRun, PARAMETERS.fieldManager, PARAMETERS.fieldValidation]
const DELETE: readonly Parameter[] = [
  PARAMETERS.pretty,
  PARAMETERS.dryRun,
  PARAMETERS.gracePeriodSeconds,
  PARAMETERS.ignoreStoreReadErrorWithClusterBreakingPotential,
  PARAMETERS.orphanDependents,
  PARAMETERS.propagationPolicy,
]

function pathParameters(path: string, kind: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((m) => pathParameter(m[1] ?? '', kind))
}

/** Kinds whose delete request returns the object. */
const RETURNS_DELETED: ReadonlySet<string> = new Set([
  'CSIDriver',
  'CSINode',
  'DeviceClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Pod',
  'PodTemplate',
  'ResourceClaim',
  'ResourceClaimTemplate',
  'ResourceQuota',
  'ResourceSlice',
  'Service',
  'ServiceAccount',
  'StorageClass',
  'VolumeAttachment',
  'VolumeAttributesClass',
])
