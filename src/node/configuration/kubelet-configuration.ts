import { type ConfigurationFileError, decodeConfigurationFile } from '../../machinery/configuration-file.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { parseQuantity, QuantityError, tryParseQuantity } from '../../machinery/quantity.ts'
import { FLEX_VOLUME_FOLDER } from '../../sdk/flex-volume/flex-drivers.ts'
import { completeEviction, DEFAULT_HARD, type EvictionConfig } from '../eviction/eviction-config.ts'
import { ThresholdError } from '../eviction/thresholds.ts'
import { type CpuSet, parseCpuSet } from '../machine/cpu-set.ts'
import { LOG_LIMITS, type LogLimits } from '../runtime/container-log.ts'
import { type ShutdownPeriod, shutdownFaults, shutdownPeriods } from '../shutdown/shutdown-periods.ts'
import { isFollowed, KUBELET_CONFIGURATION, type WrittenKubeletConfiguration } from './kubelet-types.ts'
import { GATES, type PolicyGates } from './policy-options.ts'
import type { ReservedMemory } from './reserved-memory.ts'

/** A configuration with which a kubelet would not start; the message is the kubelet's. */
export class KubeletConfigurationError extends Error {
  override readonly name = 'KubeletConfigurationError'
  readonly code = 'bad-kubelet-configuration'
}

/** The supported fields of a `KubeletConfiguration`, with defaults. */
export interface KubeletConfiguration {
  readonly cpuManagerPolicy: string
  readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>
  readonly reconcilePeriodMs: number
  /** By signal: `memory.available`. */
  readonly evictionHard: Readonly<Record<string, string>>
  readonly eviction: EvictionConfig
  readonly gates: PolicyGates
  readonly allowedUnsafeSysctls: readonly string[]
  /** Undefined: the cluster's. */
  readonly clusterDns: readonly string[] | undefined
  readonly clusterDomain: string | undefined
  /** The control group below which a real node makes those of its pods. Undefined: the root. */
  readonly cgroupRoot: string | undefined
  /** A real node's own resolver. Undefined: `/etc/resolv.conf`. */
  readonly resolvConf: string | undefined
  /** Where a real node looks for FlexVolume drivers. */
  readonly volumePluginDir: string
  readonly maxPods: number
  /** 0: no limit. */
  readonly podsPerCore: number
  readonly memoryManagerPolicy: string
  readonly reservedMemory: readonly ReservedMemory[]
  /** Whether the kernel holds all pods together to what is not reserved. */
  readonly enforcesAllocatable: boolean
  /** Undefined: the number of reserved CPUs is given by amounts. */
  readonly reservedCpus: CpuSet | undefined
  readonly systemReserved: Readonly<Record<string, string>>
  readonly kubeReserved: Readonly<Record<string, string>>
  readonly topologyManagerPolicy: string
  readonly topologyManagerPolicyOptions: Readonly<Record<string, string>>
  readonly topologyManagerScope: string
  /**
   * Shutdown grace periods by pod priority. Undefined: shutdowns of the machine are not handled; a simulated node handles them all the
   * same.
   */
  readonly shutdown: readonly ShutdownPeriod[] | undefined
  readonly staticPods: StaticPodSettings
  /** When the logs of containers are rotated. */
  readonly logLimits: LogLimits
  /** How often the logs of a real node's containers are looked at. */
  readonly logMonitorMs: number
  /** Whether a real node renews its client's certificate, and has that of its server signed by the cluster. */
  readonly certificates: { readonly rotates: boolean; readonly serving: boolean }
  /** How long a real node believes the sizes of volumes and logs. */
  readonly volumeStatsMs: number
  /** When a real node removes images that nothing uses. */
  readonly imageLimits: ImageLimits
  /** Whether pods have to show that they may use an image that is there. */
  readonly imageVerification: { readonly policy: string; readonly allowlist: readonly string[] }
  /** Fields in the file that have no effect here. */
  readonly notFollowed: readonly string[]
}

/** Bounds of the file system of images, and ages of images that nothing uses. */
export interface ImageLimits {
  /** How full it may be before images are removed; 100: images are not removed. */
  readonly highPercent: number
  /** How full it may be afterwards. */
  readonly lowPercent: number
  readonly minimumAgeMs: number
  /** Older ones are removed always; 0: no limit. */
  readonly maximumAgeMs: number
}

/** The sources of static pods, as in the file: a relative path is relative to the file. */
export interface StaticPodSettings {
  /** Empty: none. */
  readonly path: string
  readonly fileCheckMs: number
  /** Empty: none. */
  readonly url: string
  readonly urlHeaders: Readonly<Record<string, readonly string[]>>
  readonly httpCheckMs: number
}

const KINDS = {
  types: { 'kubelet.config.k8s.io/v1beta1 KubeletConfiguration': KUBELET_CONFIGURATION },
  scheme: 'k8s.io/kubernetes/pkg/kubelet/apis/config/scheme/scheme.go:33',
  strict: true,
}

/** A file that says nothing: the kubelet's defaults. */
export const DEFAULT_CONFIGURATION = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n'

/** Reads a file (YAML or JSON), strictly. @throws {KubeletConfigurationError} */
export function readKubeletConfiguration(text: string): KubeletConfiguration {
  let written: WrittenKubeletConfiguration
  try {
    written = decodeConfigurationFile(text, KINDS).value as WrittenKubeletConfiguration
  } catch (error) {
    throw new KubeletConfigurationError((error as ConfigurationFileError).message, { cause: error })
  }
  return completeKubeletConfiguration(written)
}

/** Applies the defaults, and validates as the kubelet does independently of the machine. @throws {KubeletConfigurationError} */
export function completeKubeletConfiguration(written: WrittenKubeletConfiguration): KubeletConfiguration {
  const faults = [...validate(written)]
  if (faults.length === 1) throw new KubeletConfigurationError(faults[0])
  if (faults.length > 1) throw new KubeletConfigurationError(`[${faults.join(', ')}]`)
  const { evictionHard, reservedSystemCPUs = '', systemReserved = {}, kubeReserved = {}, featureGates = {} } = written
  const hard = written.mergeDefaultEvictionSettings ? { ...DEFAULT_HARD, ...evictionHard } : (evictionHard ?? DEFAULT_HARD)
  const reserved = reservedSystemCPUs === '' ? undefined : parseCpuSet(reservedSystemCPUs)
  const { cpu: _, ...kubeWithoutCpu } = kubeReserved
  return {
    cpuManagerPolicy: written.cpuManagerPolicy || 'none',
    cpuManagerPolicyOptions: written.cpuManagerPolicyOptions ?? {},
    reconcilePeriodMs: parseGoDuration(written.cpuManagerReconcilePeriod ?? '') || 10_000,
    evictionHard: hard,
    eviction: {
      ...evictionOf({ ...written, evictionHard: hard }),
      given: evictionHard !== undefined || written.evictionSoft !== undefined,
    },
    allowedUnsafeSysctls: written.allowedUnsafeSysctls ?? [],
    clusterDns: written.clusterDNS,
    clusterDomain: written.clusterDomain,
    cgroupRoot: written.cgroupRoot,
    resolvConf: written.resolvConf,
    gates: { ...GATES, ...featureGates },
    volumePluginDir: written.volumePluginDir || FLEX_VOLUME_FOLDER,
    maxPods: written.maxPods || 110,
    podsPerCore: written.podsPerCore ?? 0,
    memoryManagerPolicy: written.memoryManagerPolicy || 'None',
    reservedMemory: written.reservedMemory ?? [],
    enforcesAllocatable: (written.enforceNodeAllocatable ?? ['pods']).includes('pods'),
    reservedCpus: reserved,
    // Explicit CPUs replace both amounts.
    systemReserved: reserved === undefined ? systemReserved : { ...systemReserved, cpu: String(reserved.size) },
    kubeReserved: reserved === undefined ? kubeReserved : kubeWithoutCpu,
    topologyManagerPolicy: written.topologyManagerPolicy || 'none',
    topologyManagerPolicyOptions: written.topologyManagerPolicyOptions ?? {},
    topologyManagerScope: written.topologyManagerScope || 'container',
    shutdown: shutdownPeriods(written),
    logLimits: logLimitsOf(written),
    certificates: { rotates: written.rotateCertificates === true, serving: written.serverTLSBootstrap === true },
    volumeStatsMs: parseGoDuration(written.volumeStatsAggPeriod ?? '') || 60_000,
    imageLimits: imageLimitsOf(written),
    imageVerification: {
      policy: written.imagePullCredentialsVerificationPolicy || 'NeverVerifyPreloadedImages',
      allowlist: written.preloadedImagesVerificationAllowlist ?? [],
    },
    logMonitorMs: parseGoDuration(written.containerLogMonitorInterval ?? '') || 10_000,
    staticPods: {
      path: written.staticPodPath ?? '',
      fileCheckMs: parseGoDuration(written.fileCheckFrequency ?? '') || 20_000,
      url: written.staticPodURL ?? '',
      urlHeaders: written.staticPodURLHeader ?? {},
      httpCheckMs: parseGoDuration(written.httpCheckFrequency ?? '') || 20_000,
    },
    notFollowed: [
      ...Object.keys(written).filter((field) => !isFollowed(field) && field !== 'apiVersion' && field !== 'kind'),
      ...Object.keys(featureGates).flatMap((gate) => (Object.hasOwn(GATES, gate) ? [] : [`featureGates.${gate}`])),
    ].sort(),
  }
}

function imageLimitsOf(written: WrittenKubeletConfiguration): ImageLimits {
  return {
    highPercent: written.imageGCHighThresholdPercent ?? 85,
    lowPercent: written.imageGCLowThresholdPercent ?? 80,
    minimumAgeMs: parseGoDuration(written.imageMinimumGCAge ?? '') || 120_000,
    maximumAgeMs: parseGoDuration(written.imageMaximumGCAge ?? '') ?? 0,
  }
}

/** A negative size disables rotation; the log in memory keeps its bound nevertheless. */
function logLimitsOf({ containerLogMaxSize, containerLogMaxFiles }: WrittenKubeletConfiguration): LogLimits {
  const bytes = tryParseQuantity(containerLogMaxSize || '')?.toNumber() ?? 0
  return { maxBytes: bytes > 0 ? bytes : LOG_LIMITS.maxBytes, maxFiles: containerLogMaxFiles || LOG_LIMITS.maxFiles }
}

/** @throws {KubeletConfigurationError} */
function evictionOf(written: WrittenKubeletConfiguration): EvictionConfig {
  try {
    return completeEviction(written)
  } catch (error) {
    if (error instanceof ThresholdError) throw new KubeletConfigurationError(error.message, { cause: error })
    throw error
  }
}

const POLICIES = ['none', 'best-effort', 'restricted', 'single-numa-node']
const listed = (names: readonly string[]) => `[${names.map((n) => goQuote(n)).join(' ')}]`

function* validate(written: WrittenKubeletConfiguration): Iterable<string> {
  const { maxPods = 0, podsPerCore = 0, topologyManagerPolicy: policy = '', topologyManagerScope: scope = '' } = written
  if (maxPods < 0) yield `invalid configuration: maxPods (--max-pods) ${maxPods} must not be a negative number`
  if (podsPerCore < 0) yield `invalid configuration: podsPerCore (--pods-per-core) ${podsPerCore} must not be a negative number`
  if (policy !== '' && !POLICIES.includes(policy))
    yield `invalid configuration: topologyManagerPolicy (--topology-manager-policy) ${goQuote(policy)} must be one of: ${listed(POLICIES)}`
  if (scope !== '' && scope !== 'container' && scope !== 'pod')
    yield `invalid configuration: topologyManagerScope (--topology-manager-scope) ${goQuote(scope)} must be one of: "container", or "pod"`
  yield* shutdownFaults(written)
  yield* imageFaults(written)
  const { reservedSystemCPUs = '' } = written
  if (parseCpuSet(reservedSystemCPUs) === undefined)
    yield `invalid configuration: unable to parse reservedSystemCPUs (--reserved-cpus) ${reservedSystemCPUs}, error: it is no list of processors such as 0,4-7`
  const { containerLogMaxSize: logSize, containerLogMaxFiles: logFiles } = written
  if (logFiles !== undefined && logFiles !== 0 && logFiles <= 1)
    yield `invalid configuration: containerLogMaxFiles (--container-log-max-files) ${logFiles} must be > 1`
  if (logSize && tryParseQuantity(logSize) === undefined)
    yield `invalid configuration: containerLogMaxSize (--container-log-max-size) ${goQuote(logSize)} is not a quantity`
  yield* validateMemory(written.reservedMemory ?? [])
  for (const field of ['systemReserved', 'kubeReserved', 'evictionHard'] as const) yield* validateAmounts(field, written[field] ?? {})
}

function* imageFaults({ imageGCHighThresholdPercent: high = 85, imageGCLowThresholdPercent: low = 80 }: WrittenKubeletConfiguration) {
  for (const [field, flag, value] of [
    ['imageGCHighThresholdPercent', '--image-gc-high-threshold', high],
    ['imageGCLowThresholdPercent', '--image-gc-low-threshold', low],
  ] as const)
    if (value < 0 || value > 100) yield `invalid configuration: ${field} (${flag}) ${value} must be between 0 and 100, inclusive`
  if (low >= high)
    yield `invalid configuration: imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`
}

function* validateMemory(reservations: readonly ReservedMemory[]): Iterable<string> {
  const seen = new Set<string>()
  for (const { numaNode, limits = {} } of reservations) {
    for (const [type, amount] of Object.entries(limits)) {
      const at = `NUMA node ${numaNode} and resource ${goQuote(type)}`
      if (type !== 'memory' && !type.startsWith('hugepages-'))
        yield `invalid configuration: the limit type ${goQuote(type)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`
      const fault = quantityFault(amount)
      if (fault !== undefined) yield `reservedMemory: ${at}: ${fault}`
      else if (parseQuantity(amount).isZero()) yield `invalid configuration: reserved memory may not be zero for ${at}`
      if (seen.has(at)) yield `invalid configuration: the reserved memory has a duplicate value for ${at}`
      seen.add(at)
    }
  }
}

const RESERVABLE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage', 'pid'])
const PERCENT = /^\d{1,3}(\.\d+)?%$/

function* validateAmounts(field: string, amounts: Readonly<Record<string, string>>): Iterable<string> {
  for (const [name, amount] of Object.entries(amounts)) {
    const eviction = field === 'evictionHard'
    if (!eviction && !RESERVABLE.has(name)) yield `${field}: cannot reserve ${goQuote(name)} resource`
    const fault = eviction && PERCENT.test(amount) ? undefined : quantityFault(amount)
    if (fault !== undefined) yield `${field}: failed to parse quantity ${goQuote(amount)} for ${goQuote(name)} resource: ${fault}`
    else if (!PERCENT.test(amount) && parseQuantity(amount).sign() < 0)
      yield `${field}: resource quantity for ${goQuote(name)} cannot be negative: ${amount}`
  }
}

function quantityFault(text: string): string | undefined {
  try {
    parseQuantity(text)
    return undefined
  } catch (error) {
    if (error instanceof QuantityError) return error.message
    throw error
  }
}
