import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { type AccessConfig, DEFAULT_ACCESS } from './access/kubelet-access.ts'

/** The fields of a `KubeletConfiguration` that concern the kubelet's server. */
export interface KubeletApiConfig {
  readonly access: AccessConfig
  /** If false, only health, pods, stats and metrics are served. */
  readonly debuggingHandlers: boolean
  readonly systemLogs: boolean
  readonly profiling: boolean
  readonly debugFlags: boolean
  /** The complete configuration, as `/configz` shows it. */
  readonly shown: JsonObject
}

/** Merges a configuration into the defaults; the file was validated before. */
export function kubeletApiConfig(written: JsonObject = {}): KubeletApiConfig {
  const shown = merged(DEFAULTS, written)
  const { authentication = {}, authorization = {} } = shown as { authentication?: Authentication; authorization?: Authorization }
  const ms = (duration: string | undefined, otherwise: number) =>
    duration === undefined || duration === '0s' ? otherwise : (parseGoDuration(duration) ?? otherwise)
  return {
    access: {
      anonymous: authentication.anonymous?.enabled === true,
      tokens: authentication.webhook?.enabled !== false,
      tokenTtlMs: ms(authentication.webhook?.cacheTTL, DEFAULT_ACCESS.tokenTtlMs),
      review: authorization.mode !== 'AlwaysAllow',
      allowedTtlMs: ms(authorization.webhook?.cacheAuthorizedTTL, DEFAULT_ACCESS.allowedTtlMs),
      deniedTtlMs: ms(authorization.webhook?.cacheUnauthorizedTTL, DEFAULT_ACCESS.deniedTtlMs),
    },
    debuggingHandlers: shown.enableDebuggingHandlers !== false,
    systemLogs: shown.enableSystemLogHandler !== false,
    profiling: shown.enableProfilingHandler !== false,
    debugFlags: shown.enableDebugFlagsHandler !== false,
    shown,
  }
}

interface Authentication {
  readonly anonymous?: { readonly enabled?: boolean }
  readonly webhook?: { readonly enabled?: boolean; readonly cacheTTL?: string }
}

interface Authorization {
  readonly mode?: string
  readonly webhook?: { readonly cacheAuthorizedTTL?: string; readonly cacheUnauthorizedTTL?: string }
}

const MERGED: ReadonlySet<string> = new Set([
  'authentication',
  'authorization',
  'x509',
  'webhook',
  'anonymous',
  'logging',
  'options',
  'crashLoopBackOff',
])

/** Merges field by field where Kubernetes sets defaults field by field; quantities are kept as written. */
function merged(defaults: JsonObject, written: JsonObject): JsonObject {
  const out: Record<string, JsonObject[string]> = { ...defaults }
  for (const [name, value] of Object.entries(written)) {
    const before = defaults[name]
    const deep = MERGED.has(name) && isObject(before) && isObject(value)
    out[name] = deep ? merged(before, value) : value
  }
  return out
}

/** The defaults of `KubeletConfiguration` v1beta1 in release 1.36. */
const DEFAULTS: JsonObject = {
  kind: 'KubeletConfiguration',
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  enableServer: true,
  podLogsDir: '/var/log/pods',
  syncFrequency: '1m0s',
  fileCheckFrequency: '20s',
  httpCheckFrequency: '20s',
  address: '0.0.0.0',
  port: 10250,
  tlsCertFile: '/var/lib/kubelet/pki/kubelet.crt',
  tlsPrivateKeyFile: '/var/lib/kubelet/pki/kubelet.key',
  authentication: {
    x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
    webhook: { enabled: true, cacheTTL: '2m0s' },
    anonymous: { enabled: false },
  },
  authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
  registryPullQPS: 5,
  registryBurst: 10,
  imagePullCredentialsVerificationPolicy: 'NeverVerifyPreloadedImages',
  eventRecordQPS: 50,
  eventBurst: 100,
  enableDebuggingHandlers: true,
  healthzPort: 10248,
  healthzBindAddress: '127.0.0.1',
  oomScoreAdj: -999,
  streamingConnectionIdleTimeout: '4h0m0s',
  nodeStatusUpdateFrequency: '10s',
  nodeStatusReportFrequency: '5m0s',
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: '2m0s',
  imageMaximumGCAge: '0s',
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  volumeStatsAggPeriod: '1m0s',
  cgroupsPerQOS: true,
  cgroupDriver: 'cgroupfs',
  cpuManagerPolicy: 'none',
  cpuManagerReconcilePeriod: '10s',
  memoryManagerPolicy: 'None',
  topologyManagerPolicy: 'none',
  topologyManagerScope: 'container',
  runtimeRequestTimeout: '2m0s',
  hairpinMode: 'promiscuous-bridge',
  maxPods: 110,
  podPidsLimit: -1,
  resolvConf: '/etc/resolv.conf',
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: '100ms',
  nodeStatusMaxImages: 50,
  maxOpenFiles: 1_000_000,
  contentType: 'application/vnd.kubernetes.protobuf',
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  serializeImagePulls: true,
  evictionHard: {
    'imagefs.available': '15%',
    'imagefs.inodesFree': '5%',
    'memory.available': '100Mi',
    'nodefs.available': '10%',
    'nodefs.inodesFree': '5%',
  },
  evictionPressureTransitionPeriod: '5m0s',
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  memorySwap: {},
  containerLogMaxSize: '10Mi',
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: '10s',
  configMapAndSecretChangeDetectionStrategy: 'Watch',
  enforceNodeAllocatable: ['pods'],
  volumePluginDir: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
  logging: {
    format: 'text',
    flushFrequency: '5s',
    verbosity: 2,
    options: { text: { infoBufferSize: '0' }, json: { infoBufferSize: '0' } },
  },
  enableSystemLogHandler: true,
  enableSystemLogQuery: false,
  shutdownGracePeriod: '0s',
  shutdownGracePeriodCriticalPods: '0s',
  crashLoopBackOff: { maxContainerRestartPeriod: '5m0s' },
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  seccompDefault: false,
  memoryThrottlingFactor: 0.9,
  memoryReservationPolicy: 'None',
  registerNode: true,
  localStorageCapacityIsolation: true,
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  failCgroupV1: true,
}
