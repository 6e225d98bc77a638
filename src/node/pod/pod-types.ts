import type { KubeObject } from '../../machinery/object.ts'

/** The parts of `v1.Container` that the agent reads. */
export interface Container {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never'
  readonly restartPolicy?: string
  readonly env?: readonly { name: string; value?: string; valueFrom?: { configMapKeyRef?: KeyRef; secretKeyRef?: KeyRef } }[]
  readonly envFrom?: readonly { configMapRef?: NameRef; secretRef?: NameRef }[]
  readonly resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
  readonly volumeMounts?: readonly { name: string; mountPath: string; readOnly?: boolean }[]
  readonly readinessProbe?: Probe
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
}

export interface Probe {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
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
  readonly configMap?: NameRef
  readonly secret?: { secretName: string; optional?: boolean }
  readonly persistentVolumeClaim?: { claimName: string }
  readonly projected?: { sources?: readonly { configMap?: NameRef; secret?: NameRef }[] }
}

export interface Pod extends KubeObject {
  spec: {
    nodeName?: string
    containers: readonly Container[]
    initContainers?: readonly Container[]
    volumes?: readonly Volume[]
    restartPolicy?: 'Always' | 'OnFailure' | 'Never'
    terminationGracePeriodSeconds?: number
    activeDeadlineSeconds?: number
    nodeSelector?: Record<string, string>
    hostNetwork?: boolean
    readinessGates?: readonly { conditionType: string }[]
    overhead?: Record<string, string>
    resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
  }
  status: { phase?: string; conditions?: readonly PodCondition[]; startTime?: string; qosClass?: string; [field: string]: unknown }
}

export interface PodCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastProbeTime?: null
  lastTransitionTime?: string
  reason?: string
  message?: string
  observedGeneration?: number
}

/** `init` runs to its end before the next starts; a `sidecar` is an init container that restarts always; `main` are the pod's own. */
export type ContainerRole = 'init' | 'sidecar' | 'main'

export const roleOf = (pod: Pod, container: Container): ContainerRole =>
  pod.spec.initContainers?.includes(container) ? (container.restartPolicy === 'Always' ? 'sidecar' : 'init') : 'main'
