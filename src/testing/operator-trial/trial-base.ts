import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Clock, systemClock, VirtualClock } from '../../base/clock.ts'
import type { Cluster, ClusterCheckpoint, ClusterDeps } from '../../cluster/cluster.ts'
import type { ClusterOptions } from '../../cluster/cluster-options.ts'
import { type KubeObject, parseApiVersion } from '../../machinery/object.ts'
import { inNewerVersion } from '../../resources/older-versions/older-versions.ts'
import { API_SERVICES, CONFIG_MAPS, NAMESPACES, PODS, SERVICE_ACCOUNTS } from '../../resources/refs.ts'
import type { CustomResourceDefinition } from '../../resources/types/apiextensions.ts'
import type { Pod } from '../../resources/types/core.ts'
import type { Client, ResourceRef, Target } from '../../sdk/client/client.ts'
import { createDiscovery, type DiscoveredResource } from '../../sdk/client/discovery.ts'
import { startCluster } from '../start-cluster.ts'
import { type TestCertificate, testCertificate } from '../test-certificate.ts'
import { OPERATOR_POD, operatorPod } from './program/in-cluster.ts'
import { atHome } from './program/webhooks-at-home.ts'
import { undoAtExit } from './undo-at-exit.ts'
import { until } from './until.ts'

/** The cluster as it is before the operator: each world begins as its copy. */
export interface TrialBase extends AsyncDisposable {
  /** What the proxies, and the operator's webhooks, are served with. */
  readonly certificate: TestCertificate
  /** A folder with `tls.crt` and `tls.key`. */
  readonly certs: string
  readonly resources: readonly DiscoveredResource[]
  /** Keys of the objects that were there before. */
  readonly before: ReadonlySet<string>
  /** Its state. */
  readonly checkpoint: ClusterCheckpoint
  copy(clock: Clock): Promise<Cluster>
}

/** What a cluster has before the operator. */
export interface TrialBaseConfig extends Pick<ClusterOptions, 'images'> {
  readonly install: readonly KubeObject[]
  readonly webhookPort: number
  /** Whether it serves metrics of pods and nodes: reading the documents of that API takes a fifth of a short run. Default true. */
  readonly metrics?: boolean
  /** The namespace of the operator's pod. Default: it has none. */
  readonly inCluster?: string | undefined
  /** The minor version of Kubernetes 1 that the operator was written for. Default: 1.36 alone. */
  readonly age?: number | undefined
}

const PATIENCE_MS = 10_000
const METRICS_API = { ...API_SERVICES, name: 'v1beta1.metrics.k8s.io' }

/**
 * Prepares the cluster: the objects to install exist, and so do those that controllers create for them. Virtual time passes meanwhile, if a
 * clock is given.
 */
export async function openTrialBase(config: TrialBaseConfig, deps: ClusterDeps = {}): Promise<TrialBase> {
  const { webhookPort, metrics = true, images, inCluster, age } = config
  const install = inCluster === undefined ? config.install : [...config.install, ...surroundings(inCluster, config.install)]
  const certificate = testCertificate()
  const certs = mkdtempSync(path.join(os.tmpdir(), 'operator-trial-certs-'))
  writeFileSync(path.join(certs, 'tls.crt'), certificate.cert)
  writeFileSync(path.join(certs, 'tls.key'), certificate.key)
  writeFileSync(path.join(certs, 'ca.crt'), certificate.ca)
  const cluster = await startCluster({ nodes: 1, ...(images && { images }), ...(age !== undefined && { age }) }, deps)
  const passing = deps.clock instanceof VirtualClock ? passTime(deps.clock) : undefined
  const removeFolder = () => rmSync(certs, { recursive: true, force: true })
  const undoing = undoAtExit(removeFolder)
  const close = async () => {
    await cluster[Symbol.asyncDispose]()
    removeFolder()
    undoing[Symbol.dispose]()
  }
  try {
    const client = cluster.client()
    const resources = await installAll(
      client,
      install.map(inNewerVersion).map((object) => atHome(object, { port: webhookPort, ca: certificate.ca })),
    )
    await until(() => namespacesAreReady(client), PATIENCE_MS)
    if (inCluster !== undefined) await until(() => operatorRuns(client, inCluster), PATIENCE_MS)
    if (!metrics) await client.delete(METRICS_API)
    const before = new Set((await everything(client, resources)).map(keyOf))
    const checkpoint = await cluster.checkpoint()
    const copy = (clock: Clock) => checkpoint.fork({}, { clock })
    return { certificate, certs, resources, before, checkpoint, copy, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  } finally {
    await passing?.[Symbol.asyncDispose]()
  }
}

/** The operator's pod, in a namespace that exists. */
function surroundings(namespace: string, install: readonly KubeObject[]): KubeObject[] {
  const exists = namespace === 'default' || install.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace)
  return [...(exists ? [] : [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]), ...operatorPod(namespace)]
}

async function operatorRuns(client: Client, namespace: string): Promise<boolean> {
  const pod = (await client.get({ ...PODS, namespace, name: OPERATOR_POD })) as Readonly<Pod>
  return pod.status?.phase === 'Running'
}

/** Lets virtual time pass, ten times as fast as real time, until it is disposed of. */
function passTime(clock: VirtualClock): AsyncDisposable {
  let over = false
  const pass = async () => {
    while (!over) {
      await clock.advance(100)
      await systemClock.sleep(10)
    }
  }
  const passing = pass()
  return {
    async [Symbol.asyncDispose]() {
      over = true
      await passing
    },
  }
}

/** Each namespace has what its controllers make in it: what comes later would look like the operator's. */
async function namespacesAreReady(client: Client): Promise<boolean> {
  const [namespaces, accounts, maps] = await Promise.all([NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS].map((ref) => client.list(ref)))
  const has = (list: typeof accounts, name: string, namespace: string | undefined) =>
    list?.items.some(({ metadata }) => metadata.name === name && metadata.namespace === namespace) ?? false
  return (namespaces?.items ?? []).every(({ metadata: { name } }) => has(accounts, 'default', name) && has(maps, 'kube-root-ca.crt', name))
}

async function installAll(client: Client, objects: readonly KubeObject[]): Promise<readonly DiscoveredResource[]> {
  const discovery = createDiscovery(client)
  let resources = (await discovery.read()).resources
  const isDefinition = (o: KubeObject): o is CustomResourceDefinition => o.kind === 'CustomResourceDefinition'
  const isNamespace = (o: KubeObject) => o.kind === 'Namespace'
  // Webhooks would call an operator that is not running yet.
  const isHook = (o: KubeObject) => o.kind.endsWith('WebhookConfiguration')
  const rank = (o: KubeObject) => [isDefinition, isNamespace, (each: KubeObject) => !isHook(each), isHook].findIndex((is) => is(o))
  for (const object of [...objects].sort((a, b) => rank(a) - rank(b))) {
    await until(async () => {
      if (resourceOf(object, resources) === undefined) resources = (await discovery.read()).resources
      return resourceOf(object, resources) !== undefined
    }, PATIENCE_MS / 2)
    const { name: _, ...collection } = targetOf(object, resources)
    await client.create(collection, object)
  }
  const defined = objects.filter(isDefinition)
  await until(async () => {
    resources = (await discovery.read()).resources
    return defined.every((d) => resources.some((r) => r.group === d.spec.group && r.kind === d.spec.names.kind))
  }, PATIENCE_MS / 2)
  return resources
}

export const refOf = ({ group, version, resource }: ResourceRef): ResourceRef => ({ group, version, resource })
export const keyOf = ({ kind, metadata }: Readonly<KubeObject>) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

/** The resource of an object; undefined: the cluster does not have its kind. */
export function resourceOf(
  { apiVersion, kind }: Readonly<KubeObject>,
  resources: readonly DiscoveredResource[],
): DiscoveredResource | undefined {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {}
  return resources.find((r) => r.group === group && r.version === version && r.kind === kind && !r.resource.includes('/'))
}

/**
 * Where an object is: in `default`, if it names no namespace and its kind has some. @throws {Error} when the cluster does not have its kind
 */
export function targetOf(object: Readonly<KubeObject>, resources: readonly DiscoveredResource[]): Target {
  const { apiVersion, kind, metadata } = object
  const found = resourceOf(object, resources)
  if (found === undefined) throw new Error(`the cluster has no ${kind} of ${apiVersion}: name its definition with --install`)
  return { ...refOf(found), ...(found.namespaced && { namespace: metadata.namespace ?? 'default' }), name: metadata.name ?? '' }
}

/** All objects of these kinds, except kinds that are not compared. */
export async function everything(client: Client, resources: readonly DiscoveredResource[]): Promise<Readonly<KubeObject>[]> {
  const listable = resources.filter((r) => r.preferred && r.verbs.includes('list') && !['events', 'leases'].includes(r.resource))
  const lists = await Promise.all(
    listable.map(async (r) => {
      const list = await client.list(refOf(r)).catch(() => ({ items: [] as Readonly<KubeObject>[] }))
      return list.items.map((o): Readonly<KubeObject> => ({ ...o, kind: r.kind }))
    }),
  )
  return lists.flat()
}
