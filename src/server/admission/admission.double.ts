import type { AdmissionPlugin, AdmissionRequest, Operation } from '../../apiserver/admission/plugin.ts'
import { createResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import { type WatchCacheDouble, watchCacheDouble } from '../../apiserver/cache/watch-cache.double.ts'
import type { Attributes } from '../../apiserver/identity/authorizer.ts'
import { VirtualClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { builtinResources } from '../../resources/builtin.ts'
import { GATED_KINDS } from '../../resources/gated-kinds.ts'
import { createRbacPolicy } from '../auth/rbac/rbac-policy.ts'
import type { AdmissionDeps } from './admission-deps.ts'

/** One write. The operation is UPDATE if there is an old object, otherwise CREATE. */
export interface Write {
  readonly object: KubeObject
  readonly old?: KubeObject
  readonly operation?: Operation
  readonly subresource?: string
  /** Default: the object's name, but for a create. */
  readonly pathName?: string
  readonly user?: string
}

export interface AdmissionSetup {
  readonly cache: WatchCacheDouble
  readonly deps: AdmissionDeps
  /** `ok`, or the code and message of the refusal; the object is changed in place. */
  admit(plugin: AdmissionPlugin, write: Write): Promise<string>
}

/** The dependencies of a plugin under test: stored objects by `GROUP/RESOURCE`, and rights as `VERB RESOURCE[/SUBRESOURCE] NAME`. */
export function admissionSetup(
  objects: Readonly<Record<string, readonly KubeObject[]>> = {},
  rights: readonly string[] = [],
): AdmissionSetup {
  const cache = watchCacheDouble()
  for (const [collection, list] of Object.entries(objects)) {
    const [group = '', resource = ''] = collection.split('/')
    cache.put(group, resource, ...list)
  }
  const may = ({ verb, resource, subresource, name }: Attributes) =>
    rights.includes(`${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${name}`)
  const deps: AdmissionDeps = {
    clock: new VirtualClock(),
    random: seededRandom(1),
    reader: cache.reader,
    authorizer: { authorize: (attributes) => ({ verdict: may(attributes) ? 'allow' : 'no-opinion', reason: '' }) },
    policy: createRbacPolicy(cache),
    definitions: createResourceRegistry(builtinResources()),
    createNamespace: async () => {},
    change: async () => {
      throw new Error('this test changes no stored object')
    },
  }
  return { cache, deps, admit }
}

async function admit(plugin: AdmissionPlugin, write: Write): Promise<string> {
  const request = requestOf(write)
  if (!plugin.handles(request)) return 'ok'
  try {
    await plugin.mutate?.(request)
    await plugin.validate?.(request)
    return 'ok'
  } catch (error) {
    if (isStatus(error)) return `${error.status.code} ${error.message}`
    throw error
  }
}

function requestOf({ object, old, operation, subresource = '', user = 'ann', pathName }: Write): AdmissionRequest {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion]
  const definition = [...builtinResources(), ...GATED_KINDS.map((kind) => kind.definition)].find(
    (d) => d.names.kind === object.kind && d.group === group,
  )
  return {
    operation: operation ?? (old === undefined ? 'CREATE' : 'UPDATE'),
    resource: { group: group ?? '', version: version ?? '', resource: definition?.names.plural ?? '' },
    kind: { group: group ?? '', version: version ?? '', kind: object.kind },
    subresource,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
    pathName: pathName ?? (old === undefined ? '' : (object.metadata.name ?? '')),
    user: { name: user, groups: [] },
    dryRun: false,
    object: operation === 'DELETE' ? undefined : object,
    oldObject: operation === 'DELETE' ? object : old,
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', metadata: {} },
    warn: () => {},
    requireReinvocation: () => {},
    annotate: () => {},
  }
}
