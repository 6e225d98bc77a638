/**
 * The order in which Kubernetes' own types hold what a pod template says. The hash of a template is taken of a dump of these structures,
 * so whoever wants the same names for replica sets needs the same order. `Go name: type`; a name in JSON that differs follows after `=`.
 */
const LAYOUT = `
PodTemplateSpec ObjectMeta=metadata:ObjectMeta Spec:PodSpec
ObjectMeta Name:string GenerateName:string Namespace:string SelfLink:string UID=uid:types.UID ResourceVersion:string Generation:int64 CreationTimestamp:Time DeletionTimestamp:*Time DeletionGracePeriodSeconds:*int64 Labels:map[string]string Annotations:map[string]string OwnerReferences:[]OwnerReference Finalizers:[]string ManagedFields:[]ManagedFieldsEntry
PodSpec Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer RestartPolicy:v1.RestartPolicy TerminationGracePeriodSeconds:*int64 ActiveDeadlineSeconds:*int64 DNSPolicy=dnsPolicy:v1.DNSPolicy NodeSelector:map[string]string ServiceAccountName:string DeprecatedServiceAccount=serviceAccount:string AutomountServiceAccountToken:*bool NodeName:string HostNetwork:bool HostPID:bool HostIPC:bool ShareProcessNamespace:*bool SecurityContext:*PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname:string Subdomain:string Affinity:*Affinity SchedulerName:string Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName:string Priority:*int32 DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*string EnableServiceLinks:*bool PreemptionPolicy:*v1.PreemptionPolicy Overhead:ResourceList TopologySpreadConstraints:[]TopologySpreadConstraint SetHostnameAsFQDN:*bool OS=os:*PodOS HostUsers:*bool SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*string SchedulingGroup:*PodSchedulingGroup
Container Name:string Image:string Command:[]string Args:[]string WorkingDir:string Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*v1.ContainerRestartPolicy RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:string TerminationMessagePolicy:v1.TerminationMessagePolicy ImagePullPolicy:v1.PullPolicy SecurityContext:*SecurityContext Stdin:bool StdinOnce:bool TTY=tty:bool
ContainerPort Name:string HostPort:int32 ContainerPort:int32 Protocol:v1.Protocol HostIP:string
ContainerResizePolicy ResourceName:v1.ResourceName RestartPolicy:v1.ResourceResizeRestartPolicy
EnvFromSource Prefix:string ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
ConfigMapEnvSource LocalObjectReference<:LocalObjectReference Optional:*bool
SecretEnvSource LocalObjectReference<:LocalObjectReference Optional:*bool
EnvVar Name:string Value:string ValueFrom:*EnvVarSource
EnvVarSource FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
ObjectFieldSelector APIVersion=apiVersion:string FieldPath:string
ResourceFieldSelector ContainerName:string Resource:string Divisor:Quantity
ConfigMapKeySelector LocalObjectReference<:LocalObjectReference Key:string Optional:*bool
SecretKeySelector LocalObjectReference<:LocalObjectReference Key:string Optional:*bool
FileKeySelector VolumeName:string Path:string Key:string Optional:*bool
LocalObjectReference Name:string
ResourceRequirements Limits:ResourceList Requests:ResourceList Claims:[]ResourceClaim
ResourceClaim Name:string Request:string
VolumeMount Name:string ReadOnly:bool RecursiveReadOnly:*v1.RecursiveReadOnlyMode MountPath:string SubPath:string MountPropagation:*v1.MountPropagationMode SubPathExpr:string
VolumeDevice Name:string DevicePath:string
Probe ProbeHandler<:ProbeHandler InitialDelaySeconds:int32 TimeoutSeconds:int32 PeriodSeconds:int32 SuccessThreshold:int32 FailureThreshold:int32 TerminationGracePeriodSeconds:*int64
ProbeHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction
ExecAction Command:[]string
HTTPGetAction Path:string Port:IntOrString Host:string Scheme:v1.URIScheme HTTPHeaders=httpHeaders:[]HTTPHeader
HTTPHeader Name:string Value:string
TCPSocketAction Port:IntOrString Host:string
GRPCAction Port:int32 Service:*string
Lifecycle PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*v1.Signal
LifecycleHandler Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction
SleepAction Seconds:int64
SecurityContext Capabilities:*Capabilities Privileged:*bool SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*v1.ProcMountType SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
Capabilities Add:[]v1.Capability Drop:[]v1.Capability
SELinuxOptions User:string Role:string Type:string Level:string
SeccompProfile Type:v1.SeccompProfileType LocalhostProfile:*string
AppArmorProfile Type:v1.AppArmorProfileType LocalhostProfile:*string
PodSecurityContext SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int64 RunAsGroup:*int64 RunAsNonRoot:*bool SupplementalGroups:[]int64 SupplementalGroupsPolicy:*v1.SupplementalGroupsPolicy FSGroup=fsGroup:*int64 Sysctls:[]Sysctl FSGroupChangePolicy=fsGroupChangePolicy:*v1.PodFSGroupChangePolicy SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*v1.PodSELinuxChangePolicy
Sysctl Name:string Value:string
Toleration Key:string Operator:v1.TolerationOperator Value:string Effect:v1.TaintEffect TolerationSeconds:*int64
HostAlias IP=ip:string Hostnames:[]string
PodReadinessGate ConditionType:v1.PodConditionType
PodSchedulingGate Name:string
PodResourceClaim Name:string ResourceClaimName:*string ResourceClaimTemplateName:*string
PodSchedulingGroup PodGroupName:*string
PodOS Name:v1.OSName
PodDNSConfig Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption
PodDNSConfigOption Name:string Value:*string
TopologySpreadConstraint MaxSkew:int32 TopologyKey:string WhenUnsatisfiable:v1.UnsatisfiableConstraintAction LabelSelector:*LabelSelector MinDomains:*int32 NodeAffinityPolicy:*v1.NodeInclusionPolicy NodeTaintsPolicy:*v1.NodeInclusionPolicy MatchLabelKeys:[]string
LabelSelector MatchLabels:map[string]string MatchExpressions:[]LabelSelectorRequirement
LabelSelectorRequirement Key:string Operator:v1.LabelSelectorOperator Values:[]string
Affinity NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
NodeAffinity RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeSelector NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorTerm MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
NodeSelectorRequirement Key:string Operator:v1.NodeSelectorOperator Values:[]string
PreferredSchedulingTerm Weight:int32 Preference:NodeSelectorTerm
PodAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAntiAffinity RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm LabelSelector:*LabelSelector Namespaces:[]string TopologyKey:string NamespaceSelector:*LabelSelector MatchLabelKeys:[]string MismatchLabelKeys:[]string
WeightedPodAffinityTerm Weight:int32 PodAffinityTerm:PodAffinityTerm
Volume Name:string VolumeSource<:VolumeSource
VolumeSource HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI=downwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource Quobyte:*QuobyteVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO=scaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
HostPathVolumeSource Path:string Type:*v1.HostPathType
EmptyDirVolumeSource Medium:v1.StorageMedium SizeLimit:*Quantity
SecretVolumeSource SecretName:string Items:[]KeyToPath DefaultMode:*int32 Optional:*bool
ConfigMapVolumeSource LocalObjectReference<:LocalObjectReference Items:[]KeyToPath DefaultMode:*int32 Optional:*bool
KeyToPath Key:string Path:string Mode:*int32
NFSVolumeSource Server:string Path:string ReadOnly:bool
PersistentVolumeClaimVolumeSource ClaimName:string ReadOnly:bool
DownwardAPIVolumeSource Items:[]DownwardAPIVolumeFile DefaultMode:*int32
DownwardAPIVolumeFile Path:string FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*int32
ProjectedVolumeSource Sources:[]VolumeProjection DefaultMode:*int32
VolumeProjection Secret:*SecretProjection DownwardAPI=downwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
SecretProjection LocalObjectReference<:LocalObjectReference Items:[]KeyToPath Optional:*bool
ConfigMapProjection LocalObjectReference<:LocalObjectReference Items:[]KeyToPath Optional:*bool
DownwardAPIProjection Items:[]DownwardAPIVolumeFile
ServiceAccountTokenProjection Audience:string ExpirationSeconds:*int64 Path:string
ImageVolumeSource Reference:string PullPolicy:v1.PullPolicy
CSIVolumeSource Driver:string ReadOnly:*bool FSType=fsType:*string VolumeAttributes:map[string]string NodePublishSecretRef:*LocalObjectReference
`

/** One field of a structure. */
export interface GoField {
  readonly name: string
  /** Its name in JSON; undefined for a structure whose fields stand in JSON among those of its holder. */
  readonly json: string | undefined
  readonly type: string
}

let parsed: ReadonlyMap<string, readonly GoField[]> | undefined

/** The fields of a type in order; undefined for a type that is not known here. */
export function fieldsOf(type: string): readonly GoField[] | undefined {
  parsed ??= new Map(LAYOUT.trim().split('\n').map(parseLine))
  return parsed.get(type)
}

function parseLine(line: string): [string, readonly GoField[]] {
  const [type = '', ...fields] = line.split(' ')
  return [
    type,
    fields.map((text): GoField => {
      const colon = text.indexOf(':')
      const head = text.slice(0, colon)
      const [name = '', json] = head.replace('<', '').split('=')
      const lower = name.charAt(0).toLowerCase() + name.slice(1)
      return { name, json: head.endsWith('<') ? undefined : (json ?? lower), type: text.slice(colon + 1) }
    }),
  ]
}
