import type { KubeObject, ObjectMeta } from '../machinery/object.ts'
import type { CustomResourceDefinition, JSONSchemaProps } from '../resources/types/apiextensions.ts'
import type { Deployment } from '../resources/types/apps.ts'
import type { ConfigMap, Container, Namespace, Node, Pod, Secret, Service } from '../resources/types/core.ts'

/**
 * What all builders take: parts of the object that are to be different. `metadata` is joined with what the builder makes, other fields
 * replace it. They are not checked by the compiler, so that a test can also send what the API refuses.
 */
export interface Extra {
  readonly metadata?: ObjectMeta
  readonly [field: string]: unknown
}

function build<T extends KubeObject>(object: T, { metadata, ...rest }: Extra = {}): T {
  return { ...object, ...rest, metadata: { ...object.metadata, ...metadata } }
}

/** What differs in a pod that a builder makes. */
export interface PodOptions extends Extra {
  /** Default `nginx`. On simulated nodes `done` ends at once with 0, `fail` with 3, and `missing` is in no registry. */
  readonly image?: string
  readonly command?: readonly string[]
  /** Requests and limits, both: `{ cpu: '100m', 'example.com/dongle': '1' }`. Default: none. */
  readonly resources?: Readonly<Record<string, string>>
}

/** A container `main` of these options. */
function containersOf({ image = 'nginx', command, resources }: PodOptions): Container[] {
  const amounts = resources === undefined ? {} : { resources: { requests: { ...resources }, limits: { ...resources } } }
  return [{ name: 'main', image, ...(command === undefined ? {} : { command: [...command] }), ...amounts }]
}

/**
 * A pod with one container, `main`.
 *
 * ```ts
 * await client.create({ ...refs.PODS, namespace: 'default' }, pod('web', { resources: { cpu: '500m' } }))
 * ```
 */
export function pod(name: string, { image, command, resources, ...extra }: PodOptions = {}): Pod {
  const containers = containersOf({ ...(image && { image }), ...(command && { command }), ...(resources && { resources }) })
  return build<Pod>({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } }, extra)
}

/** A deployment whose pods have the label `app=<name>` and one container, `main`. */
export function deployment(
  name: string,
  { replicas = 1, image, command, resources, ...extra }: PodOptions & { readonly replicas?: number } = {},
): Deployment {
  const containers = containersOf({ ...(image && { image }), ...(command && { command }), ...(resources && { resources }) })
  const labels = { app: name }
  const spec = { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } }
  return build<Deployment>({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec }, extra)
}

/**
 * A ready node with capacity, for a cluster without nodes of its own (`startCluster({ nodes: 0 })`): pods are scheduled to it, but do not
 * run. Write its status too (`subresource: 'status'`), because a create drops it.
 */
export function node(
  name: string,
  { allocatable = {}, ...extra }: Extra & { readonly allocatable?: Readonly<Record<string, string>> } = {},
): Node {
  const amounts = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable }
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' }
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' } as const
  const status = { capacity: amounts, allocatable: amounts, conditions: [ready] }
  return build<Node>({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status }, extra)
}

/** A config map. */
export const configMap = (name: string, data: Readonly<Record<string, string>> = {}, extra?: Extra): ConfigMap =>
  build<ConfigMap>({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { ...data } }, extra)

/** A secret of type Opaque; the values are plain text. */
export const secret = (name: string, stringData: Readonly<Record<string, string>> = {}, extra?: Extra): Secret =>
  build<Secret>({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { ...stringData } }, extra)

/** A namespace. */
export const namespace = (name: string, extra?: Extra): Namespace =>
  build<Namespace>({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, extra)

/** A service on port 80 in front of the pods with these labels. */
export const service = (name: string, selector: Readonly<Record<string, string>>, extra?: Extra): Service =>
  build<Service>(
    { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector: { ...selector }, ports: [{ port: 80 }] } },
    extra,
  )

/** What a custom resource is. */
export interface CustomResource {
  readonly group: string
  readonly kind: string
  /** Default: the kind in lower case with an `s`. */
  readonly plural?: string
  /** Default `v1`. */
  readonly version?: string
  /** Default `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster'
  /** The `openAPIV3Schema` of `spec`. Default: anything. */
  readonly spec?: JSONSchemaProps
  /** The `openAPIV3Schema` of `status`. Default: anything. */
  readonly status?: JSONSchemaProps
}

const ANYTHING: JSONSchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/**
 * The definition of a custom resource with `spec` and `status`, the status as a subresource.
 *
 * ```ts
 * await client.create(refs.CUSTOM_RESOURCE_DEFINITIONS, customResourceDefinition({ group: 'example.com', kind: 'Gadget' }))
 * ```
 */
export function customResourceDefinition(resource: CustomResource, extra?: Extra): CustomResourceDefinition {
  const { group, kind, version = 'v1', scope = 'Namespaced', spec = ANYTHING, status = ANYTHING } = resource
  const singular = kind.toLowerCase()
  const plural = resource.plural ?? `${singular}s`
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec, status } } }
  const versions = [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }]
  const names = { plural, singular, kind, listKind: `${kind}List` }
  const definition: CustomResourceDefinition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope, names, versions },
  }
  return build(definition, extra)
}
