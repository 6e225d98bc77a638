import type { Command } from 'commander'
import { MAX_NODES } from '../cluster/config.ts'
import { withEtcdOptions } from './etcd-options.ts'
import { withLogOptions } from './log-options.ts'
import { withNodeNetworkOptions } from './node-network-options.ts'
import {
  existingFile,
  existingPath,
  newFolder,
  orWord,
  portNumber,
  several,
  trueOrFalse,
  unixSocket,
  url,
  wholeNumber,
  word,
  writableFile,
} from './option-values.ts'

/** Adds the flags of `bowsprit up`, in the groups of its help. */
export const withUpFlags = (command: Command): Command =>
  [clusterFlags, storageFlags, addressFlags, nodeFlags, realNodeFlags, schedulingFlags, serverFlags, processFlags].reduce(
    (all, add) => add(all),
    command,
  )

const clusterFlags = (command: Command) =>
  command
    .optionsGroup('The cluster:')
    .option('-f, --file <file>', 'read options from a cluster file (bowsprit.dev/v1 Cluster); flags override it', existingFile)
    .option(
      '--name <name>',
      'the name of the cluster: of its folder and its context (bowsprit-NAME); it gets a free port (default: default)',
      word,
    )
    .option('--nodes <count>', 'the number of simulated nodes (default: 1)', wholeNumber(0, MAX_NODES))
    .option(
      '--node-shapes <shapes>',
      'more nodes, of other sizes, labels and taints, from a file (nodeShapes: [{name, count, cpu, …}])',
      existingFile,
    )
    .option('--parts <list>', 'the parts that run: server,controllers,scheduler,nodes (default: all; "server" is only an API server)', word)
    .option('--kubeconfig <file>', 'write the kubeconfig to this file (default: in the data folder, or a temporary one)', writableFile)
    .option('--merge', 'also add the context to your kubeconfig (~/.kube/config), and make it the current one')

const storageFlags = (command: Command) =>
  withEtcdOptions(
    command
      .optionsGroup('Storage:')
      .option('--data-dir <folder>', 'the folder of the cluster (default: ~/.local/share/bowsprit/default)', newFolder)
      .option('--ephemeral', 'keep everything in memory')
      .option(
        '--from <file>',
        'start as the cluster that was saved in this file (in memory, unless --data-dir names a new folder)',
        existingFile,
      )
      .option('--save-on-exit <file>', 'save the cluster in this file when it stops (the file contains secrets)', writableFile)
      .option('--store <store>', 'keep objects in an etcd, in the layout of kube-apiserver: etcd=https://a:2379,https://b:2379', word),
  )
    .option(
      '--from-etcd-snapshot <file>',
      "look into a snapshot of another cluster's etcd (in memory; only an API server, unless --parts names more)",
      existingFile,
    )
    .option(
      '--encryption-provider-config <file>',
      'an EncryptionConfiguration: which resources are encrypted in the data folder, and how',
      existingFile,
    )
    .option('--encryption-provider-config-automatic-reload', 'follow changes of that file')
    .option('--object-limits <limits>', 'the largest number of objects of each collection: pods=300000,*=1000000', word)
    .option(
      '--quota-backend-bytes <bytes>',
      'the largest size of all objects together, in bytes (default: 2 GiB)',
      wholeNumber(1, Number.MAX_SAFE_INTEGER),
    )

const addressFlags = (command: Command) =>
  command
    .optionsGroup('Addresses and ports:')
    .option('--port <port>', 'the TCP port of the API server; 0 picks a free one (default: 6443)', portNumber)
    .option(
      '--address <address>',
      'the address on which it listens; 0.0.0.0: on all addresses, so that other machines reach it (default: 127.0.0.1)',
      word,
    )
    .option('--certificate-names <list>', 'more names and addresses for its certificate: cluster.local,192.0.2.7', word)
    .option('--page-port <port>', 'the port of the web page that shows the cluster, on 127.0.0.1 (default: a free one)', portNumber)
    .option('--page-read-only', 'the page cannot change anything')
    .option('--no-page', 'serve no page')
    .option('--kubelet-ports', 'the kubelet of each node listens on a port of 127.0.0.1 (default: only the API server reaches them)')
    .option(
      '--service-addresses [boolean]',
      'open node ports on 127.0.0.1, give load balancers an address of this machine, and serve Ingresses (default: true)',
      trueOrFalse,
    )
    .option('--service-cidr <ranges>', 'the address range of services, or two, such as 10.0.0.0/24,fd00::/108 (default: 10.0.0.0/24)', word)
    .option(
      '--cluster-cidr <ranges>',
      'the address ranges of pods; each node without a range gets a part of them (default: each simulated node has a range of its own)',
      word,
    )

const nodeFlags = (command: Command) =>
  command
    .optionsGroup('Simulated nodes and containers:')
    .option('--unknown-programs <what>', 'what a container does whose program is not known: succeed, run or fail (default: succeed)', word)
    .option('--images <file>', 'programs in TypeScript for images: a module, or YAML with a module for each image', existingFile)
    .option(
      '--program <image=command>',
      'containers of this image are processes of this machine: controller:dev=./bin/manager (repeatable; docs/process-runtime.md)',
      several(word),
      [],
    )
    .option(
      '--machine <file>',
      'the hardware of every node (bowsprit.dev/v1 Machine), or "host": that of this machine',
      orWord('host', existingFile),
    )
    .option('--devices <file>', 'described devices (devices.yaml)', existingFile)
    .option(
      '--device-plugin-dir [folder]',
      'the folder in which device plugins register (without a value: /var/lib/kubelet/device-plugins, for root and one node; the default where that folder exists and no kubelet uses it)',
      newFolder,
    )
    .option(
      '--kubelet-config <file>',
      'a KubeletConfiguration for all nodes: CPU, memory and topology manager policies, reserved resources, eviction',
      existingFile,
    )
    .option(
      '--static-pod-path <folder>',
      'manifests of static pods for every node (in a subfolder with the name of a node: for that node)',
      existingPath,
    )
    .option('--static-pod-url <url>', 'the URL of a manifest, or of a list of pods: static pods for every node', url)
    .option(
      '--cni-conf-dir <folder>',
      'the folder of a list of network plugins, which give every pod a network namespace and addresses of this machine (root; docs/process-runtime.md)',
      newFolder,
    )
    .option('--cni-bin-dir <folder>', 'where those plugins are (default: /opt/cni/bin)', newFolder)
    .option('--no-storage-class', 'do not create the default storage class, whose volumes are simulated')

const realNodeFlags = (command: Command) =>
  withNodeNetworkOptions(
    command
      .optionsGroup('A real node:')
      .option(
        '--runtime <address>',
        'make this machine the only node, with this container runtime: unix:///run/containerd/containerd.sock',
        unixSocket,
      ),
    'serve DNS for names of the cluster',
  )

const schedulingFlags = (command: Command) =>
  command
    .optionsGroup('Scheduling:')
    .option('--scheduler-config <file>', 'a KubeSchedulerConfiguration', existingFile)
    .option('--scheduler-policy <file>', 'instead: a scheduler Policy (v1) of predicates, priorities and extenders', existingFile)
    .option('--gang-scheduling', 'serve PodGroups (scheduling.k8s.io/v1alpha2), and bind the pods of a gang only together')
    .option('--refuse-double-booking', 'refuse a binding that does not fit on its node, with a conflict')

const serverFlags = (command: Command) =>
  command
    .optionsGroup('The API server:')
    .option('--audit-log <file>', 'append an audit event for each request to this file; "-" is standard output', orWord('-', writableFile))
    .option(
      '--audit-policy <file>',
      'which requests are audited, in which detail (audit.k8s.io/v1 Policy; default: metadata of every request)',
      existingFile,
    )
    .option('--trails [boolean]', 'record how the last requests were processed: kubectl get requesttrails (default: true)', trueOrFalse)
    .option('--cluster-trust-bundles', 'serve ClusterTrustBundles (certificates.k8s.io/v1beta1), and let pods mount them')

const processFlags = (command: Command) =>
  withLogOptions(
    command
      .optionsGroup('This process:')
      .option('--until-stdin-ends', 'also stop when standard input ends, so that the cluster ends with the process that started it')
      .option('--threads [boolean]', 'run controllers, scheduler and nodes in threads of their own (default: true)', trueOrFalse)
      .option('--leader-election', 'controllers and scheduler act only while they hold their lease')
      // In this group.
      .helpOption(true),
  )
