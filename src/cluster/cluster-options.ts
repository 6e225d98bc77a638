import type { JsonObject } from '../machinery/object.ts'
import type { ImagePrograms } from '../node/programs/program.ts'
import type { UnknownPrograms } from '../node/runtime/simulated/unknown-programs.ts'

/** What a cluster is made of; each can run alone. `server` alone is a bare API server, for use as a test control plane. */
export type Part = 'server' | 'controllers' | 'scheduler' | 'nodes'
export const ALL_PARTS: readonly Part[] = ['server', 'controllers', 'scheduler', 'nodes']

/** The options of a cluster; each has a default. */
export interface ClusterOptions {
  /** The number of simulated nodes. Default 1. */
  readonly nodes?: number
  /**
   * Nodes with a shape of their own, in addition to `nodes` (of which there are none then by default): `[{ name: 'gpu', count: 2, cpu: 64,
   * memory: '256Gi', resources: { 'example.com/gpu': 8 }, labels: {…}, taints: […] }]`, or the path of a file with such a list under
   * `nodeShapes`.
   */
  readonly nodeShapes?: readonly JsonObject[] | string
  /**
   * The container runtime of one real node, this machine, in place of simulated ones: `unix:///run/containerd/containerd.sock`. Needs root.
   * Default: nodes are simulated.
   */
  readonly runtime?: string
  /** A real node leads the addresses of services to their endpoints, as kube-proxy does. Default true. */
  readonly serviceProxy?: boolean
  /** A real node answers the names of the cluster, as CoreDNS does. Default true. */
  readonly clusterDns?: boolean
  /** A real node writes a list of network plugins into this folder (`/etc/cni/net.d`) if there is none. Default: it does not. */
  readonly cniFolder?: string
  /** A real node drops what NetworkPolicies do not allow. Default true. */
  readonly networkPolicies?: boolean
  /** Default: all. */
  readonly parts?: readonly Part[]
  /** The folder of the store and the keys. Default `~/.local/share/bowsprit/default`. */
  readonly dataDir?: string
  /** Keep everything in memory; `dataDir` is not used. */
  readonly ephemeral?: boolean
  /**
   * Where objects are kept: `etcd=https://a:2379,https://b:2379`, in kube-apiserver's layout. The folder then holds the keys alone, which
   * all servers of one etcd have in common. Default: the folder.
   */
  readonly store?: string
  /** Files for an etcd with `https`, as kube-apiserver's flags. */
  readonly etcdCafile?: string
  readonly etcdCertfile?: string
  readonly etcdKeyfile?: string
  /** Before every key in etcd. Default `/registry`. */
  readonly etcdPrefix?: string
  /**
   * Start from a cluster that `save` wrote into this file: its objects, keys and options (options given here override the saved ones). It
   * is kept in memory, unless `dataDir` names a folder without a cluster. Default: an empty cluster, or the one in the data folder.
   */
  readonly from?: string
  /**
   * Start from the objects in a snapshot of another cluster's etcd (`etcdctl snapshot save`), in memory: to look into it.
   * `encryptionProviderConfig` is the one of that cluster. Only the API server runs, unless `parts` names others. Default: none.
   */
  readonly fromEtcdSnapshot?: string
  /** The TCP port on `address`; 0 picks a free one. Default 6443. */
  readonly port?: number
  /**
   * The IPv4 address on which the API server listens; `0.0.0.0`: all of this machine, so that others reach it. Clients need a certificate
   * or a token in any case. Default 127.0.0.1.
   */
  readonly address?: string
  /** Names and addresses in the API server's certificate, in addition to `localhost`, `127.0.0.1` and those inside the cluster. */
  readonly certificateNames?: readonly string[]
  /** The kubeconfig's context is `bowsprit-NAME`. Default: `bowsprit`. */
  readonly name?: string
  /** Written when the cluster is ready; default `kubeconfig` in the data folder, none for an ephemeral cluster. */
  readonly kubeconfig?: string
  /**
   * Each node's kubelet listens on its own port of 127.0.0.1, which its Node names: for programs that call kubelets directly
   * (metrics-server). Default: false; kubelets are reached through the API server only.
   */
  readonly kubeletPorts?: boolean
  /**
   * Services have addresses on this machine: node ports are open on 127.0.0.1, load balancers get an address of 127.0.0.0/8. Simulated
   * nodes only. Default: false; `bowsprit up` does.
   */
  readonly serviceAddresses?: boolean
  /**
   * The range of service addresses, or two of different families (`10.0.0.0/24,fd00::/108`): then the pods of simulated nodes have an IPv6
   * address too. In a cluster with nodes the first is one of IPv4. Default 10.0.0.0/24.
   */
  readonly serviceCidr?: string
  /**
   * The addresses of pods (`10.244.0.0/16`, or `10.244.0.0/16,fd00:10:244::/56`), as kube-controller-manager's `--allocate-node-cidrs
   * --cluster-cidr`: each node without a range gets a /24 (IPv6: /64). Default: simulated nodes bring their own, others get none.
   */
  readonly clusterCidr?: string
  /**
   * Also serve group versions that Kubernetes 1.N served and 1.36 does not: 20 for `policy/v1beta1`, `batch/v1beta1`,
   * `apiextensions.k8s.io/v1beta1` and others, for programs that were written before. Default: none.
   */
  readonly age?: number
  /** Serve `extensions/v1beta1` ThirdPartyResources too. Default: unless the API server runs alone. */
  readonly thirdPartyResources?: boolean
  /** Serve `certificates.k8s.io/v1beta1` ClusterTrustBundles, and let pods mount them. Default false, as in Kubernetes. */
  readonly clusterTrustBundles?: boolean
  /**
   * Serve `scheduling.k8s.io/v1alpha2` PodGroups, and bind the pods of a gang only together (the feature gates GenericWorkload and
   * GangScheduling). Default false, as in Kubernetes.
   */
  readonly gangScheduling?: boolean
  /**
   * What a simulated container does of which nothing is known but its image: `succeed` (runs for ever; ends with 0 after a second where a
   * Job, a hook or the next init container waits for it), `run` (runs for ever), `fail` (ends with 127). Default: `succeed`.
   */
  readonly unknownPrograms?: UnknownPrograms
  /** A `KubeSchedulerConfiguration` (kubescheduler.config.k8s.io/v1), or the path of a file that holds one. Default: Kubernetes' own. */
  readonly schedulerConfig?: JsonObject | string
  /**
   * Instead of it, a scheduler `Policy` (v1: predicates, priorities and extenders by their old names), or the path of a file that holds
   * one.
   */
  readonly schedulerPolicy?: JsonObject | string
  /**
   * Refuse a binding that does not fit on its node (cpu, memory, extended resources, pods, host ports) with a conflict: for several
   * schedulers over the same nodes. Each server decides by the bindings that it has seen, so it is exact where one server handles all
   * bindings. Default: false, as in Kubernetes.
   */
  readonly refuseDoubleBooking?: boolean
  /**
   * The most objects that the server keeps of each collection (`{ pods: 300_000, 'leases.coordination.k8s.io': 1_000 }`; `*` is every other
   * one); a create beyond it is answered with 403. Default: 200,000 pods, 300,000 events, 500,000 of each other collection.
   */
  readonly objectLimits?: Readonly<Record<string, number>>
  /**
   * How many bytes all objects may have together (etcd's flag of this name); beyond it creates are answered with 500 `etcdserver: mvcc:
   * database space exceeded`. A real etcd has a quota of its own. Default: 2 GiB.
   */
  readonly quotaBackendBytes?: number
  /**
   * An `EncryptionConfiguration` (apiserver.config.k8s.io/v1), the path of its file: which resources are encrypted in the data folder, and
   * how. Default: none is.
   */
  readonly encryptionProviderConfig?: string
  /** Follow changes of that file. Default: false. */
  readonly encryptionProviderConfigAutomaticReload?: boolean
  /** An audit `Policy` (audit.k8s.io/v1), or the path of a file that holds one. Needs `auditLog`. Default: metadata of every request. */
  readonly auditPolicy?: JsonObject | string
  /** The file to which audit events are appended as JSON lines; `-` is standard output. Default: no audit log. */
  readonly auditLog?: string
  /**
   * Record what happens to each request (who allowed it, what admission did, how long it took), of the last 5,000 in at most 16 MiB, and
   * serve it as `requesttrails.bowsprit.dev`. Default: false; `bowsprit up` does.
   */
  readonly trails?: boolean
  /**
   * Controllers and scheduler act only while they hold their lease (`kube-system/kube-controller-manager`, `kube-system/kube-scheduler`):
   * needed where several clusters share one store. Default: false.
   */
  readonly leaderElection?: boolean
  /**
   * The kubelet's folder, where device plugins find the nodes: it gets `device-plugins`, `plugins_registry` and `pod-resources`. A folder
   * named `device-plugins` is used as that one itself. With several nodes it gets a folder per node. Default: nodes have no devices.
   */
  readonly devicePluginDir?: string
  /**
   * A `KubeletConfiguration` (kubelet.config.k8s.io/v1beta1) for all nodes, or the path of a file that holds one: policies of CPU, memory
   * and topology manager, reservations. Default: nodes allocate amounts, not particular processors or NUMA nodes.
   */
  readonly kubeletConfig?: JsonObject | string
  /**
   * The machine of every node: a `Machine` (bowsprit.dev/v1: sockets, NUMA nodes, cores, caches, memory, huge pages, distances), the path
   * of a file that holds one, or `host` for the machine that this runs on. Default: 8 processors and 16Gi on one NUMA node.
   */
  readonly machine?: JsonObject | string
  /**
   * A folder of manifests (or one manifest) of static pods, which every node runs and shows as mirror pods. A subfolder with the name of a
   * node is for that node only. Default: the `staticPodPath` of the kubelet's configuration, if there is one.
   */
  readonly staticPodPath?: string
  /** A URL with such a manifest, or a list of pods. Default: the `staticPodURL` of the kubelet's configuration, if there is one. */
  readonly staticPodUrl?: string
  /**
   * The folder of a list of network plugins (CNI), which give each pod a network namespace and addresses of this machine, without a
   * container runtime. Needs Linux and root. Default: pods have addresses in memory.
   */
  readonly cniConfDir?: string
  /** Where the plugins are. Default: `/opt/cni/bin`. */
  readonly cniBinDir?: string
  /**
   * Described devices, without hardware (`devices: [{resource: example.com/dongle, count: 4}]`), or the path of such a file.
   * Default: none.
   */
  readonly devices?: JsonObject | string
  /**
   * Programs in TypeScript for the containers of simulated nodes, by the names of images: `{ 'example/web:*': async (container) => … }`.
   * `*` is any characters but `/`, `**` any; a name without a tag means every tag. Or the path of a module that exports such a map by
   * default, or of a YAML file that names a module for each image (`images: {'example/web:*': ./web.ts}`). An object with a `command`
   * makes containers of the image processes of this machine: `{ 'controller:dev': { command: './bin/manager' } }`. Default: none.
   */
  readonly images?: ImagePrograms | string
  /**
   * Create the default storage class `standard`, whose volumes are simulated (provisioner `bowsprit.dev/simulated`). Default: true where
   * there are controllers and simulated nodes, because only nodes mount volumes.
   */
  readonly storageClass?: boolean
  /**
   * Run controllers, scheduler and nodes in threads of their own, and programs of containers in a process of their own, so that nothing
   * they do holds the API server up, or ends it. Needs the machine's clock, and no functions: images are named by a module, or are
   * processes. Default: false, everything is in one thread. `bowsprit up` uses threads.
   */
  readonly threads?: boolean
}
