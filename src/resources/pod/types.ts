import type * as core from '../types/core.ts'
import type { Unchecked, UncheckedObject } from '../unchecked.ts'

export type Affinity = Unchecked<core.Affinity>
export type AzureDisk = Unchecked<core.AzureDiskVolumeSource>
export type Container = Unchecked<core.Container>
export type ContainerPort = Unchecked<core.ContainerPort>
export type ContainerStatus = Unchecked<core.ContainerStatus>
export type DownwardFile = Unchecked<core.DownwardAPIVolumeFile>
export type EnvVar = Unchecked<core.EnvVar>
export type EphemeralContainer = Unchecked<core.EphemeralContainer>
export type FieldRef = Unchecked<core.ObjectFieldSelector>
/** The common fields of probes and hooks; only hooks have sleep, only probes have gRPC. */
export type Handler = Unchecked<core.LifecycleHandler & Pick<core.Probe, 'grpc'>>
export type IscsiVolume = Unchecked<core.ISCSIVolumeSource>
export type KeyRef = Unchecked<core.ConfigMapKeySelector>
export type KeyToPath = Unchecked<core.KeyToPath>
export type NodeSelector = Unchecked<core.NodeSelector>
export type NodeSelectorRequirement = Unchecked<core.NodeSelectorRequirement>
export type NodeSelectorTerm = Unchecked<core.NodeSelectorTerm>
export type Pod = UncheckedObject<Omit<core.Pod, 'status'>> & { status?: PodStatus }
export type PodAffinity = Unchecked<core.PodAffinity>
export type PodAffinityTerm = Unchecked<core.PodAffinityTerm>
export type PodCertificate = Unchecked<core.PodCertificateProjection>
/** Go writes a time that is not set as null. */
export type PodCondition = Omit<Unchecked<core.PodCondition>, 'lastProbeTime'> & { lastProbeTime?: string | null }
export type PodDnsConfig = Unchecked<core.PodDNSConfig>
export type PodResourceClaim = Unchecked<core.PodResourceClaim>
export type PodSecurityContext = Unchecked<core.PodSecurityContext>
export type PodSpec = Unchecked<core.PodSpec>
export type PodStatus = Omit<Unchecked<core.PodStatus>, 'conditions'> & { conditions?: PodCondition[] }
export type PodTemplateSpec = Unchecked<core.PodTemplateSpec>
export type Probe = Unchecked<core.Probe>
export type ProjectedSource = Unchecked<core.VolumeProjection>
export type ResourceFieldRef = Unchecked<core.ResourceFieldSelector>
export type ResourceList = Unchecked<core.ResourceList>
export type ResourceRequirements = Unchecked<core.ResourceRequirements>
export type SeccompProfile = Unchecked<core.SeccompProfile>
export type SecurityContext = Unchecked<core.SecurityContext>
export type Toleration = Unchecked<core.Toleration>
export type TopologySpreadConstraint = Unchecked<core.TopologySpreadConstraint>
export type Volume = Unchecked<core.Volume>
export type VolumeMount = Unchecked<core.VolumeMount>
export type WindowsOptions = Unchecked<core.WindowsSecurityContextOptions>

/** What the validation of a pod spec needs besides it. */
export interface PodRules {
  /** Permits privileged containers (a kube-apiserver flag). */
  readonly allowPrivileged: boolean
}
