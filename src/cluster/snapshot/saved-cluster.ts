import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import type { ClusterKeys } from '../certificates.ts'
import type { ClusterOptions } from '../cluster-options.ts'
import type { ClusterConfig } from '../config.ts'

/** The facts in a snapshot's file in addition to the objects. */
export interface SavedCluster {
  readonly kubernetesVersion: string
  /** Milliseconds since 1970, by the cluster's clock. */
  readonly savedAtMs: number
  readonly options: ClusterOptions
  readonly keys: ClusterKeys
}

/** The options that belong to the cluster. Those of the machine or the process (ports, folders, programs) are not saved. */
export function savedOptions(config: ClusterConfig): ClusterOptions {
  const {
    nodes: all,
    nodeShapes,
    parts,
    serviceCidr,
    age,
    thirdPartyResources,
    clusterTrustBundles,
    gangScheduling,
    leaderElection,
    refuseDoubleBooking,
    schedulerConfig,
    machine,
    unknownPrograms,
  } = config
  const policy = documentOf(config.schedulerPolicy)
  const kubeletConfig = documentOf(config.kubeletConfig)
  return {
    nodes: all - nodeShapes.length,
    ...(nodeShapes.length > 0 && { nodeShapes: nodeShapes.map(({ name, shape }) => ({ name, ...shape })) as unknown as JsonObject[] }),
    parts: [...parts],
    serviceCidr,
    ...(age !== undefined && { age }),
    thirdPartyResources,
    clusterTrustBundles,
    gangScheduling,
    leaderElection,
    refuseDoubleBooking,
    unknownPrograms,
    ...(config.clusterCidr !== undefined && { clusterCidr: config.clusterCidr }),
    ...(schedulerConfig !== undefined && { schedulerConfig }),
    ...(policy !== undefined && { schedulerPolicy: policy }),
    ...(kubeletConfig !== undefined && { kubeletConfig }),
    ...(machine !== undefined && { machine: machine === 'host' ? machine : (documentOf(machine) ?? {}) }),
    ...(config.devices.length > 0 && { devices: { devices: config.devices.map(descriptionOf) } }),
  }
}

/** A document from an option's text. */
function documentOf(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const { value } = decodeYaml(text)
  return isObject(value) ? value : undefined
}

function descriptionOf({ nodes, health, ...device }: ClusterConfig['devices'][number]): JsonObject {
  const steps = health.map(({ afterMs, devices, healthy }) => ({
    afterSeconds: afterMs / 1000,
    healthy,
    ...(devices && { devices: [...devices] }),
  }))
  const { numaNodes, attributes, env, deviceFiles, resource, count } = device
  return {
    resource,
    count,
    attributes: { ...attributes },
    env: { ...env },
    deviceFiles: [...deviceFiles],
    health: steps,
    ...(numaNodes.length > 0 && { numaNodes: [...numaNodes] }),
    ...(nodes && { nodes: [...nodes] }),
  }
}

/** Decodes the saved facts. Throws a `TypeError` with what is missing. */
export function savedCluster(about: unknown): SavedCluster {
  const { kubernetesVersion, savedAtMs, options, keys } = record(about, 'about')
  if (typeof kubernetesVersion !== 'string') throw new TypeError('about.kubernetesVersion is no text')
  if (typeof savedAtMs !== 'number') throw new TypeError('about.savedAtMs is no number')
  const { ca, frontProxyCa, serving, serviceAccountKey, retiredKeys } = record(keys, 'keys')
  if (!Array.isArray(retiredKeys)) throw new TypeError('keys.retiredKeys is no list')
  return {
    kubernetesVersion,
    savedAtMs,
    // Options are validated together later.
    options: record(options, 'options') as ClusterOptions,
    keys: {
      ca: certified(ca, 'ca'),
      frontProxyCa: certified(frontProxyCa, 'frontProxyCa'),
      serving: certified(serving, 'serving'),
      serviceAccountKey: text(serviceAccountKey, 'serviceAccountKey'),
      retiredKeys: retiredKeys.map((key) => text(key, 'retiredKeys')),
    },
  }
}

function certified(value: unknown, name: string) {
  const { certificate, key } = record(value, `keys.${name}`)
  return { certificate: text(certificate, name), key: text(key, name) }
}

function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TypeError(`keys.${name} is no text`)
  return value
}

function record(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} is no object`)
  return value as Readonly<Record<string, Json>>
}
