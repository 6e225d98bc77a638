import type { KubeObject } from '../../machinery/object.ts'
import type { PodRef } from '../runtime/container-spec.ts'

export type Amounts = Readonly<Record<string, string | number>>

/** The parts of `v1.Container` that the agent reads. */
export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  readonly restartPolicyRules?: readonly RestartRule[]
  readonly env?: readonly EnvVar[]
  readonly envFrom?: readonly { readonly prefix?: string; readonly configMapRef?: NameRef; readonly secretRef?: NameRef }[]
  readonly resources?: {
    readonly requests?: Amounts
    readonly limits?: Amounts
    readonly claims?: readonly { readonly name: string; readonly request?: string }[]
  }
  readonly resizePolicy?: readonly { readonly resourceName: string; readonly restartPolicy: string }[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly ports?: readonly {
    readonly name?: string
    readonly containerPort: number
    readonly hostPort?: number
    readonly hostIP?: string
    readonly protocol?: string
  }[]
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly lifecycle?: { readonly postStart?: Hook; readonly preStop?: Hook; readonly stopSignal?: string }
  readonly terminationMessagePolicy?: string
  readonly securityContext?: SecurityContext
  readonly stdin?: boolean
  readonly tty?: boolean
  /** Of ephemeral containers. */
  readonly targetContainerName?: string
}

export interface RestartRule {
  readonly action: 'Restart' | 'RestartAllContainers'
  readonly exitCodes?: { readonly operator: 'In' | 'NotIn'; readonly values?: readonly number[] }
}

export interface EnvVar {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyRef
    readonly secretKeyRef?: KeyRef
    readonly fieldRef?: { readonly fieldPath: string }
    readonly fileKeyRef?: FileKeyRef
    readonly resourceFieldRef?: { readonly containerName?: string; readonly resource: string; readonly divisor?: string | number }
  }
}

export interface FileKeyRef {
  readonly volumeName: string
  readonly path: string
  readonly key: string
  readonly optional?: boolean
}

export interface VolumeMount {
  readonly name: string
  readonly mountPath: string
  readonly readOnly?: boolean
  readonly subPath?: string
  readonly subPathExpr?: string
  readonly mountPropagation?: string
  readonly recursiveReadOnly?: string
}

export interface SecurityContext {
  readonly appArmorProfile?: { readonly type: string; readonly localhostProfile?: string }
  readonly runAsNonRoot?: boolean
  readonly runAsUser?: number
  readonly runAsGroup?: number
}

export interface PodSecurityContext extends SecurityContext {
  readonly fsGroup?: number
  readonly supplementalGroups?: readonly number[]
  readonly sysctls?: readonly { readonly name: string; readonly value: string }[]
}

export interface HttpGet {
  readonly host?: string
  readonly port: number | string
  readonly path?: string
  readonly scheme?: string
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[]
}

export interface Action {
  readonly exec?: { readonly command?: readonly string[] }
  readonly httpGet?: HttpGet
  readonly tcpSocket?: { readonly host?: string; readonly port: number | string }
}

export interface Hook extends Action {
  readonly sleep?: { readonly seconds: number }
}

export interface Probe extends Action {
  readonly grpc?: { readonly port: number; readonly service?: string }
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number
}

export interface NameRef {
  readonly name: string
  readonly optional?: boolean
}

export interface KeyRef extends NameRef {
  readonly key: string
}

export interface Volume {
  readonly name: string
  readonly configMap?: NameRef & KeyItems
  readonly secret?: { readonly secretName: string; readonly optional?: boolean } & KeyItems
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: object
  readonly emptyDir?: { readonly medium?: string; readonly sizeLimit?: string | number }
  readonly hostPath?: { readonly path: string; readonly type?: string }
  readonly nfs?: { readonly server: string; readonly path: string; readonly readOnly?: boolean }
  readonly gitRepo?: object
  readonly downwardAPI?: object
  readonly image?: { readonly reference?: string; readonly pullPolicy?: Container['imagePullPolicy'] }
  readonly projected?: { readonly sources?: readonly { readonly configMap?: NameRef & KeyItems; readonly secret?: NameRef & KeyItems }[] }
}

interface KeyItems {
  readonly items?: readonly { readonly key: string; readonly path: string }[]
}

export interface Pod extends KubeObject {
  spec: {
    nodeName?: string
    priority?: number
    containers: readonly Container[]
    initContainers?: readonly Container[]
    ephemeralContainers?: readonly Container[]
    volumes?: readonly Volume[]
    restartPolicy?: 'Always' | 'OnFailure' | 'Never'
    terminationGracePeriodSeconds?: number
    activeDeadlineSeconds?: number
    nodeSelector?: Record<string, string>
    affinity?: { nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: readonly unknown[] } } }
    tolerations?: readonly { readonly key?: string; readonly operator?: string; readonly value?: string; readonly effect?: string }[]
    os?: { name: string }
    imagePullSecrets?: readonly { readonly name?: string }[]
    hostNetwork?: boolean
    hostIPC?: boolean
    shareProcessNamespace?: boolean
    dnsPolicy?: string
    dnsConfig?: {
      readonly nameservers?: readonly string[]
      readonly searches?: readonly string[]
      readonly options?: readonly { readonly name?: string; readonly value?: string }[]
    }
    hostname?: string
    subdomain?: string
    setHostnameAsFQDN?: boolean
    enableServiceLinks?: boolean
    serviceAccountName?: string
    runtimeClassName?: string
    securityContext?: PodSecurityContext
    readinessGates?: readonly { conditionType: string }[]
    overhead?: Record<string, string>
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
    resourceClaims?: readonly { readonly name: string; readonly resourceClaimName?: string; readonly resourceClaimTemplateName?: string }[]
  }
  status: {
    phase?: string
    conditions?: readonly PodCondition[]
    startTime?: string
    qosClass?: string
    podIPs?: readonly { readonly ip: string }[]
    [field: string]: unknown
  }
}

export interface PodCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastProbeTime?: string | null
  lastTransitionTime?: string
  reason?: string
  message?: string
  observedGeneration?: number
}

/**
 * `init` runs to its end before the next starts; a `sidecar` is an init container that restarts always; `main` are the pod's own; an `ephemeral`
 * one is added to look at the others, and never restarts.
 */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral'

/** All containers of a pod, in the order in which they start. */
export function containersOf(pod: Pod): readonly { readonly container: Container; readonly role: ContainerRole }[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = pod.spec
  return [
    ...initContainers.map((container) => ({
      container,
      role: container.restartPolicy === 'Always' ? ('sidecar' as const) : ('init' as const),
    })),
    ...containers.map((container) => ({ container, role: 'main' as const })),
    ...ephemeralContainers.map((container) => ({ container, role: 'ephemeral' as const })),
  ]
}

/** The names of the volumes that a container mounts; all others are not set up. */
export const mountedVolumes = (pod: Pod): ReadonlySet<string> =>
  new Set(containersOf(pod).flatMap(({ container }) => (container.volumeMounts ?? []).map((m) => m.name)))

export const podRef = (pod: Pod): PodRef => ({
  uid: pod.metadata.uid ?? '',
  name: pod.metadata.name ?? '',
  namespace: pod.metadata.namespace ?? '',
})

/** Whether the pod comes from a manifest of its node: objects of the API have a version. */
export const isStaticPod = (pod: Pod): boolean =>
  pod.metadata.resourceVersion === undefined && pod.metadata.annotations?.['kubernetes.io/config.hash'] !== undefined

/** Whether its object is on its way out; a static pod has none, and what it tells goes on as if it stayed. */
export const isBeingDeleted = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined && !isStaticPod(pod)

/** Whether its phase says that it will never run again. */
export const isTerminal = (pod: Pod): boolean => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed'
