import type { ResourceRegistry } from '../../apiserver/cache/resource-registry.ts'
import type { ServerTools } from '../../apiserver/extension-points.ts'
import type { Clock } from '../../base/clock.ts'
import { timestamp } from '../../base/clock.ts'
import { equalJson } from '../../machinery/equal.ts'
import { asJson, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import type { Reader } from '../../machinery/resource/definition.ts'
import { isStatus } from '../../machinery/status-error.ts'
import type { ServiceCIDR } from '../../resources/types/networking.ts'
import type { ClusterRole, ClusterRoleBinding, Subject } from '../../resources/types/rbac.ts'
import { isCovered } from '../auth/rbac/uncovered.ts'
import { type BootstrapConfig, type BootstrapObject, bootstrapObjects } from './bootstrap-objects.ts'

export interface BootstrapDeps {
  readonly reader: Reader
  readonly definitions: Pick<ResourceRegistry, 'served'>
  /** A transport to the server, as a member of system:masters. */
  readonly transport: ReturnType<ServerTools['transport']>
  readonly clock: Clock
}

/**
 * Creates the bootstrap objects, and repairs those of an older release. Await it before the server listens: then no client sees a cluster
 * without its default roles. At a second start it only reads the cache. The objects of a wave are written concurrently, so that they share
 * the store's flush.
 */
export async function ensureBootstrap(config: BootstrapConfig, deps: BootstrapDeps): Promise<void> {
  for (const wave of bootstrapObjects(config, timestamp(deps.clock.now()))) {
    await Promise.all(wave.map((wanted) => ensure(wanted, deps)))
  }
}

/** Creates one object, or repairs it. */
export async function ensure(wanted: BootstrapObject, { reader, definitions, transport, clock }: BootstrapDeps): Promise<void> {
  const { group, version, resource, object, keep, manager = 'kube-apiserver', statusManager } = wanted
  const { namespace = '', name = '' } = object.metadata
  const target = { group, version, resource, ...(namespace === '' ? {} : { namespace }) }
  const query = { fieldManager: manager }
  // A server can be composed without some kinds.
  if (definitions.served(group, version, resource) === undefined) return
  const present = reader.get(group, resource, namespace, name)
  if (present === undefined) {
    const { status, ...body } = object
    try {
      await transport.call({ verb: 'create', target, query, body: body as KubeObject })
      if (statusManager !== undefined) {
        await transport.call({
          verb: 'patch',
          target: { ...target, name, subresource: 'status' },
          query: { fieldManager: statusManager, force: 'true' },
          patchType: 'apply',
          body: { apiVersion: body.apiVersion, kind: body.kind, metadata: { name }, status } as JsonObject,
        })
      }
    } catch (error) {
      // Another server of the same cluster may start at the same time.
      if (!isStatus(error, 'AlreadyExists') && !(await cameMeanwhile(wanted, { reader, clock }))) throw error
    }
    return
  }
  const change = repair(present, object, keep)
  if (change !== undefined) await transport.call({ verb: 'patch', target: { ...target, name }, query, patchType: 'merge', body: change })
}

const OTHERS_TRIES = 20
const OTHERS_PAUSE_MS = 50

/** Another server may be creating it: the service's address is allocated already, and the service will exist in a moment. */
async function cameMeanwhile(
  { group, resource, object }: BootstrapObject,
  { reader, clock }: Pick<BootstrapDeps, 'reader' | 'clock'>,
): Promise<boolean> {
  const { namespace = '', name = '' } = object.metadata
  for (let tries = 0; tries < OTHERS_TRIES; tries++) {
    if (reader.get(group, resource, namespace, name) !== undefined) return true
    await clock.sleep(OTHERS_PAUSE_MS)
  }
  return false
}

/** The fields of roles and bindings that are repaired. */
type Holder = KubeObject & Pick<ClusterRole, 'aggregationRule' | 'rules'> & Pick<ClusterRoleBinding, 'subjects'>

/** The merge patch that repairs an existing object; undefined if it needs none. */
export function repair(present: Holder, wanted: Holder, keep: BootstrapObject['keep']): JsonObject | undefined {
  const annotations = present.metadata.annotations ?? {}
  if (keep === 'rules' || keep === 'subjects') {
    if (annotations['rbac.authorization.kubernetes.io/autoupdate'] === 'false') return undefined
    return keep === 'rules' ? missingRules(present, wanted) : missingSubjects(present, wanted)
  }
  if (keep === 'spec' || keep === 'mandatory') return changedSpec(present, wanted, keep === 'mandatory')
  if (keep === 'ranges') return missingRange(present as ServiceCIDR, wanted as ServiceCIDR)
  if (keep !== 'data') return undefined
  const { data } = asJson(wanted)
  return holds(asJson(present).data, data) ? undefined : { data }
}

/** The annotation of flow schemas and priority levels whose specification Kubernetes keeps. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec'

/** Where the annotation does not say it, those are kept that nobody has changed; from then on it says so. */
function changedSpec(present: Holder, wanted: Holder, mandatory: boolean): JsonObject | undefined {
  const { annotations, generation = 1 } = present.metadata
  const said = annotations?.[AUTO_UPDATE]
  const isKept = mandatory || said === 'true' || (said !== 'false' && generation === 1)
  const change: JsonObject = {}
  if (said !== String(isKept)) change.metadata = { annotations: { [AUTO_UPDATE]: String(isKept) } }
  const { spec } = asJson(wanted)
  if (isKept && !holds(asJson(present).spec, spec)) change.spec = spec
  return Object.keys(change).length === 0 ? undefined : change
}

function missingRules(present: Holder, wanted: Holder): JsonObject | undefined {
  if (wanted.aggregationRule !== undefined) return undefined
  const held = present.rules ?? []
  // A role that was not changed has each rule as it is: that is found in a fraction of the time.
  const missing = (wanted.rules ?? []).filter((rule) => !held.some((own) => equalJson(own, rule)) && !isCovered(held, rule))
  return missing.length === 0 ? undefined : { rules: [...held, ...missing].map(asJson) }
}

/** A cluster with one range of service addresses may get one of the other family. */
function missingRange({ spec: present }: ServiceCIDR, { spec: wanted }: ServiceCIDR): JsonObject | undefined {
  const [cidrs, all] = [present?.cidrs ?? [], wanted?.cidrs ?? []]
  return cidrs.length === 1 && all.length === 2 && cidrs[0] === all[0] ? { spec: { cidrs: [...all] } } : undefined
}

function missingSubjects(present: Holder, wanted: Holder): JsonObject | undefined {
  const held = present.subjects ?? []
  const same = (a: Subject, b: Subject) => a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '')
  const missing = (wanted.subjects ?? []).filter((s) => !held.some((h) => same(h, s)))
  return missing.length === 0 ? undefined : { subjects: [...held, ...missing].map(asJson) }
}

/** Whether `present`, which may have additional defaults, has everything of `wanted`. */
function holds(present: unknown, wanted: unknown): boolean {
  if (wanted === null || typeof wanted !== 'object' || Array.isArray(wanted)) {
    if (!Array.isArray(wanted) || !Array.isArray(present)) return equalJson(present, wanted)
    return present.length === wanted.length && wanted.every((item, i) => holds(present[i], item))
  }
  if (present === null || typeof present !== 'object') return false
  return Object.entries(wanted).every(([key, value]) =>
    holds(Object.hasOwn(present, key) ? (present as Record<string, unknown>)[key] : undefined, value),
  )
}
