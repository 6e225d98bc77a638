import { readFileSync } from 'node:fs'
import { isIPv4 } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { AuditPolicy } from '../apiserver/audit/policy.ts'
import { AuditPolicyError, readAuditPolicy } from '../apiserver/audit/read-policy.ts'
import { messageOf } from '../base/message-of.ts'
import { dns1123Subdomain, wildcardDns1123Subdomain } from '../machinery/names.ts'
import type { JsonObject } from '../machinery/object.ts'
import { type ObjectLimits, readObjectLimits } from '../machinery/resource/object-limits.ts'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { type DescribedResource, DescriptionError, readDescription } from '../node/allocation/devices/described/description.ts'
import { isProcessImage, processImageFault } from '../node/programs/processes/process-image.ts'
import type { ImagePrograms } from '../node/programs/program.ts'
import { UNKNOWN_PROGRAMS, type UnknownPrograms } from '../node/runtime/simulated/unknown-programs.ts'
import { NodeShapeError } from '../node/status/node-shape.ts'
import type { EncryptionOptions } from '../server/encryption/live-encryption.ts'
import { type EtcdOptions, etcdOf } from '../server/options/storage.ts'
import { SnapshotError } from '../storage/snapshot/snapshot-error.ts'
import { ALL_PARTS, type ClusterOptions, type Part } from './cluster-options.ts'
import { type ShapedNode, shapedNodes } from './nodes/node-shapes.ts'
import { serviceRangesFault } from './service-ranges.ts'

/** Defaults that do not depend on other options. */
const DEFAULTS = {
  port: 6443,
  kubeletPorts: false,
  serviceAddresses: false,
  serviceCidr: '10.0.0.0/24',
  clusterTrustBundles: false,
  gangScheduling: false,
  refuseDoubleBooking: false,
  trails: false,
  leaderElection: false,
  threads: false,
} satisfies ClusterOptions

type OptionsWithDefaults = Required<Pick<ClusterOptions, keyof typeof DEFAULTS>>

/** The same, complete. */
export interface ClusterConfig extends OptionsWithDefaults {
  /** All of them. */
  readonly nodes: number
  /** The last of them, which have a shape of their own. */
  readonly nodeShapes: readonly ShapedNode[]
  /** Undefined: nodes are simulated. */
  readonly runtime: string | undefined
  /** What a real node does for the network of the cluster. */
  readonly nodeNetwork: {
    readonly serviceProxy: boolean
    readonly dns: boolean
    readonly policies: boolean
    readonly cniFolder: string | undefined
    readonly clusterCidrs: readonly string[]
  }
  readonly parts: ReadonlySet<Part>
  /** Undefined: in memory. */
  readonly dataDir: string | undefined
  readonly host: string
  /** In the API server's certificate. */
  readonly certificateNames: readonly string[]
  /** Undefined: the cluster has no name. */
  readonly name: string | undefined
  readonly kubeconfig: string | undefined
  /** Undefined: nodes get no addresses for pods. */
  readonly clusterCidr: string | undefined
  readonly age: number | undefined
  readonly thirdPartyResources: boolean
  readonly schedulerConfig: JsonObject | undefined
  /** The text of a policy. */
  readonly schedulerPolicy: string | undefined
  readonly objectLimits: ObjectLimits
  /** Undefined: the default of stores. */
  readonly quotaBackendBytes: number | undefined
  /** The text of a KubeletConfiguration. Undefined: nodes give out no parts of a machine, unless one is described. */
  readonly kubeletConfig: string | undefined
  /** The folder of the file that it was read from: its paths are relative to that. */
  readonly kubeletConfigDir: string | undefined
  readonly staticPodPath: string | undefined
  readonly staticPodUrl: string | undefined
  /** Undefined: pods have addresses in memory. */
  readonly cniConfDir: string | undefined
  readonly cniBinDir: string
  /** The text of a Machine, or `host`. */
  readonly machine: string | undefined
  /** Undefined: nodes have no devices. */
  readonly devicePluginDir: string | undefined
  /** Empty: none are described. */
  readonly devices: readonly DescribedResource[]
  readonly images: ImagePrograms
  readonly unknownPrograms: UnknownPrograms
  readonly storageClass: boolean
  /** Undefined: objects are stored unencrypted. */
  readonly encryption?: EncryptionOptions
  /** Absent: the store is in the folder, or in memory. */
  readonly etcd?: EtcdOptions
  /** Undefined: no audit events are written. */
  readonly audit: { readonly policy: AuditPolicy; readonly file: string } | undefined
}

/** Why a configuration cannot be used; the message says which option and what to write instead. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'bad-option'
}

/** Whether the snapshot that an option names caused this error; the message names the file, not the option. */
export const isSnapshotMistake = (error: unknown): error is Error => error instanceof SnapshotError

/** Whether the options of a cluster or the files that they name caused this error. */
export const isConfigMistake = (error: unknown): boolean => error instanceof ConfigError || isSnapshotMistake(error)

interface RefusedPort {
  readonly host: string
  readonly port: number
  /** The option that chooses another. */
  readonly option: '--port' | '--page-port'
}

/** Why a port could not be opened; the message says what to choose instead. */
export class PortError extends Error {
  override readonly name = 'PortError'
  readonly code: 'in-use' | 'not-allowed'
  constructor(code: 'in-use' | 'not-allowed', { host, port, option }: RefusedPort, cause: unknown) {
    const why = code === 'in-use' ? 'is in use by another program' : 'may not be opened by this user'
    super(`port ${port} of ${host} ${why}; choose another with ${option} (0 picks a free one)`, { cause })
    this.code = code
  }
}

/** Node's error of `listen` as a `PortError`, where it is one. */
export function portErrorOf(error: unknown, port: RefusedPort): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return new PortError('in-use', port, error)
  return code === 'EACCES' ? new PortError('not-allowed', port, error) : error
}

/** Nodes of a cluster at most. */
export const MAX_NODES = 10_000

/** The addresses of pods of simulated nodes, where services have both families. */
const DUAL_STACK_PODS = '10.192.0.0/10,fd00:10:192::/48'

/** The variables that a process is started with. */
type Environment = Readonly<Record<string, string | undefined>>

/** The folder of the cluster that `bowsprit up` starts when nothing else is said. */
export function defaultDataDir(env: Environment): string {
  return path.join(env.XDG_DATA_HOME || path.join(os.homedir(), '.local', 'share'), 'bowsprit', 'default')
}

/** Fills the defaults, in this one place. */
export function completeConfig(options: ClusterOptions, env: Environment = process.env): ClusterConfig {
  const parts = new Set(options.parts ?? ALL_PARTS)
  for (const part of parts) {
    if (!ALL_PARTS.includes(part))
      throw new ConfigError(`--parts: there is no part ${JSON.stringify(part)}; there are ${ALL_PARTS.join(', ')}`)
  }
  if (!parts.has('server')) throw new ConfigError('--parts: a cluster needs the part "server"')
  const plain = options.nodes ?? (options.nodeShapes === undefined ? 1 : 0)
  if (!Number.isInteger(plain) || plain < 0 || plain > MAX_NODES)
    throw new ConfigError(`--nodes: give a whole number from 0 to ${MAX_NODES}`)
  const filled = withDefaults(options)
  const { port, serviceCidr } = filled
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new ConfigError('--port: give a number from 0 (any free port) to 65535')
  const hasTwoFamilies = serviceCidr.includes(',')
  const rangesFault = serviceRangesFault(serviceCidr, { nodes: parts.has('nodes') })
  if (rangesFault !== undefined) throw new ConfigError(`--service-cidr: ${rangesFault}`)
  const dataDir = options.ephemeral === true ? undefined : path.resolve(options.dataDir ?? defaultDataDir(env))
  if (options.schedulerConfig !== undefined && options.schedulerPolicy !== undefined)
    throw new ConfigError('--scheduler-policy cannot be used together with --scheduler-config')
  const nodeShapes = nodeShapesOf(options, plain)
  const nodes = plain + nodeShapes.length
  if (options.runtime !== undefined && nodes > 1) throw new ConfigError('--runtime: one machine is one node; give --nodes 1')
  return Object.freeze({
    ...filled,
    nodes,
    nodeShapes,
    runtime: options.runtime,
    nodeNetwork: {
      serviceProxy: options.serviceProxy ?? true,
      dns: options.clusterDns ?? true,
      policies: options.networkPolicies ?? true,
      cniFolder: options.cniFolder,
      clusterCidrs: options.clusterCidr?.split(',') ?? [],
    },
    parts,
    dataDir,
    host: addressOf(options),
    certificateNames: certificateNamesOf(options),
    name: options.name,
    kubeconfig: options.kubeconfig ?? (dataDir === undefined ? undefined : path.join(dataDir, 'kubeconfig')),
    clusterCidr: options.clusterCidr ?? (hasTwoFamilies && options.runtime === undefined ? DUAL_STACK_PODS : undefined),
    age: options.age,
    thirdPartyResources: options.thirdPartyResources ?? parts.size > 1,
    schedulerConfig: typeof options.schedulerConfig === 'string' ? readSchedulerConfig(options.schedulerConfig) : options.schedulerConfig,
    schedulerPolicy: textOf('--scheduler-policy', options.schedulerPolicy),
    kubeletConfig: textOf('--kubelet-config', options.kubeletConfig),
    kubeletConfigDir: typeof options.kubeletConfig === 'string' ? path.dirname(path.resolve(options.kubeletConfig)) : undefined,
    staticPodPath: options.staticPodPath === undefined ? undefined : path.resolve(options.staticPodPath),
    staticPodUrl: options.staticPodUrl,
    cniConfDir: options.cniConfDir === undefined ? undefined : path.resolve(options.cniConfDir),
    cniBinDir: path.resolve(options.cniBinDir ?? '/opt/cni/bin'),
    machine: options.machine === 'host' ? 'host' : textOf('--machine', options.machine),
    objectLimits: objectLimitsOf(options.objectLimits),
    quotaBackendBytes: quotaOf(options.quotaBackendBytes),
    devicePluginDir: options.devicePluginDir === undefined ? undefined : path.resolve(options.devicePluginDir),
    devices: devicesOf(options.devices),
    images: imagesOf(options.images),
    unknownPrograms: unknownProgramsOf(options.unknownPrograms),
    storageClass: options.storageClass ?? (parts.has('controllers') && parts.has('nodes') && nodes > 0 && options.runtime === undefined),
    ...encryptionOf(options),
    ...etcdStoreOf(options),
    audit: auditOf(options),
  })
}

const withDefaults = (options: ClusterOptions) =>
  Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => [name, options[name as keyof typeof DEFAULTS] ?? value]),
  ) as OptionsWithDefaults

/** @throws {ConfigError} */
function addressOf({ address = '127.0.0.1' }: ClusterOptions): string {
  if (!isIPv4(address)) throw new ConfigError(`--address: ${JSON.stringify(address)} is no IPv4 address of this machine, such as 0.0.0.0`)
  return address
}

/** @throws {ConfigError} */
function certificateNamesOf({ certificateNames = [], address = '0.0.0.0' }: ClusterOptions): readonly string[] {
  const wrong = certificateNames.find(
    (name) => !isIPv4(name) && wildcardDns1123Subdomain(name).length > 0 && dns1123Subdomain(name).length > 0,
  )
  if (wrong !== undefined) throw new ConfigError(`--certificate-names: ${JSON.stringify(wrong)} is neither a DNS name nor an IPv4 address`)
  return address === '0.0.0.0' ? certificateNames : [...certificateNames, address]
}

/** @throws {ConfigError} */
function etcdStoreOf({ store, ephemeral, etcdCafile = '', etcdCertfile = '', etcdKeyfile = '', etcdPrefix = '/registry' }: ClusterOptions) {
  if (store === undefined) {
    if (`${etcdCafile}${etcdCertfile}${etcdKeyfile}` !== '')
      throw new ConfigError('--etcd-cafile, --etcd-certfile and --etcd-keyfile need --store etcd=URL')
    return {}
  }
  const [, urls] = /^etcd=(.+)$/.exec(store) ?? []
  if (urls === undefined) throw new ConfigError(`--store: ${JSON.stringify(store)} is not etcd=URL,URL…`)
  if (ephemeral === true) throw new ConfigError('--ephemeral cannot be used together with --store')
  const files = { 'etcd-cafile': etcdCafile, 'etcd-certfile': etcdCertfile, 'etcd-keyfile': etcdKeyfile }
  return { etcd: etcdOf({ 'etcd-servers': urls.split(','), 'etcd-prefix': etcdPrefix, ...files }) }
}

function unknownProgramsOf(unknownPrograms: string = 'succeed'): UnknownPrograms {
  const found = UNKNOWN_PROGRAMS.find((one) => one === unknownPrograms)
  if (found === undefined)
    throw new ConfigError(`--unknown-programs: ${JSON.stringify(unknownPrograms)} is none of ${UNKNOWN_PROGRAMS.join(', ')}`)
  return found
}

function encryptionOf({ encryptionProviderConfig: file, encryptionProviderConfigAutomaticReload: reloads = false }: ClusterOptions) {
  if (file !== undefined) return { encryption: { file: path.resolve(file), reloads } }
  if (reloads) throw new ConfigError('--encryption-provider-config-automatic-reload must be set with --encryption-provider-config')
  return {}
}

function textOf(option: string, given: JsonObject | string | undefined): string | undefined {
  if (typeof given !== 'string') return given && JSON.stringify(given)
  try {
    return readFileSync(given, 'utf8')
  } catch (error) {
    throw new ConfigError(`${option}: ${given} cannot be read: ${messageOf(error)}`)
  }
}

const readSchedulerConfig = (file: string) => readDocument('--scheduler-config', file, 'KubeSchedulerConfiguration')

function readDocument(option: string, file: string, kind: string): JsonObject {
  try {
    const { value } = decodeYaml(readFileSync(file, 'utf8'))
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value
  } catch (error) {
    throw new ConfigError(`${option}: ${file} cannot be read: ${messageOf(error)}`)
  }
  throw new ConfigError(`${option}: ${file} holds no ${kind}`)
}

function devicesOf(devices: ClusterOptions['devices']): readonly DescribedResource[] {
  if (devices === undefined) return []
  const value = typeof devices === 'string' ? readDocument('--devices', devices, 'devices') : devices
  try {
    return readDescription(value)
  } catch (error) {
    if (!(error instanceof DescriptionError)) throw error
    throw new ConfigError(`--devices: ${typeof devices === 'string' ? `${devices}: ` : ''}${error.message}`)
  }
}

function nodeShapesOf({ nodeShapes: given, machine }: ClusterOptions, plain: number): readonly ShapedNode[] {
  if (given === undefined) return []
  const inFile = typeof given === 'string' ? `${given}: ` : ''
  const list = typeof given === 'string' ? readDocument('--node-shapes', given, 'nodeShapes').nodeShapes : given
  if (!Array.isArray(list)) throw new ConfigError(`--node-shapes: ${inFile}nodeShapes: give a list`)
  try {
    const nodes = shapedNodes(list as readonly JsonObject[], { plain, most: MAX_NODES })
    if (machine !== undefined && nodes.some(({ shape }) => shape.cpu !== undefined || shape.memory !== undefined))
      throw new ConfigError(`--node-shapes: ${inFile}cpu and memory cannot be used together with --machine`)
    return nodes
  } catch (error) {
    if (!(error instanceof NodeShapeError)) throw error
    throw new ConfigError(`--node-shapes: ${inFile}${error.message}`, { cause: error })
  }
}

function imagesOf(images: ClusterOptions['images'] = {}): ImagePrograms {
  if (typeof images === 'string') throw new Error('invariant: files of images are read before')
  for (const [name, image] of Object.entries(images)) {
    const fault = imageFault(image)
    if (fault !== undefined) throw new ConfigError(`images: ${JSON.stringify(name)}: ${fault}`)
  }
  return images
}

function imageFault(image: ImagePrograms[string] | undefined): string | undefined {
  if (typeof image === 'function') return undefined
  if (isProcessImage(image)) return processImageFault(image)
  return typeof image?.run === 'function' ? undefined : 'it needs a function, an object with a function "run", or one with a "command"'
}

function objectLimitsOf(given: ClusterOptions['objectLimits'] = {}): ObjectLimits {
  try {
    return readObjectLimits(new Map(Object.entries(given)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ConfigError(`--object-limits: ${error.message}`, { cause: error })
  }
}

function quotaOf(bytes: number | undefined): number | undefined {
  if (bytes !== undefined && !(Number.isSafeInteger(bytes) && bytes > 0))
    throw new ConfigError('--quota-backend-bytes: give a positive number of bytes')
  return bytes
}

const EVERYTHING: AuditPolicy = { rules: [{ level: 'Metadata' }] }

function auditOf({ auditPolicy, auditLog }: ClusterOptions): ClusterConfig['audit'] {
  if (auditLog === undefined) {
    if (auditPolicy === undefined) return undefined
    throw new ConfigError('--audit-policy: name the file for the events too, with --audit-log')
  }
  const file = auditLog === '-' ? '-' : path.resolve(auditLog)
  return { policy: auditPolicy === undefined ? EVERYTHING : auditPolicyOf(auditPolicy), file }
}

function auditPolicyOf(given: JsonObject | string): AuditPolicy {
  const value = typeof given === 'string' ? readDocument('--audit-policy', given, 'Policy') : given
  const at = typeof given === 'string' ? `${given}: ` : ''
  try {
    const { policy, unknown } = readAuditPolicy(JSON.stringify(value))
    // Kubernetes ignores unknown fields. A rule that has lost its condition would match everything.
    if (unknown.length > 0) throw new ConfigError(`--audit-policy: ${at}there is no field ${JSON.stringify(unknown[0])}`)
    return policy
  } catch (error) {
    if (!(error instanceof AuditPolicyError)) throw error
    throw new ConfigError(`--audit-policy: ${at}${error.message}`)
  }
}
