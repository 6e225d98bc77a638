import { Command } from 'commander'
import { messageOf } from '../base/message-of.ts'
import { parseIp } from '../machinery/ip-address.ts'
import { explainPod } from '../machinery/network/explain-pod.ts'
import { judgeFlow } from '../machinery/network/judge-flow.ts'
import type { Endpoint, NetworkPod, NetworkWorld, Protocol } from '../machinery/network/network-world.ts'
import { worldOf } from '../machinery/network/world-of-objects.ts'
import type { Client } from '../sdk/client/client.ts'
import { createClient } from '../sdk/client/create-client.ts'
import { httpsTransport } from '../sdk/client/https.ts'
import { loadKubeconfigFile } from '../sdk/client/kubeconfig.ts'
import { flowText, networkText } from './explain-network-text.ts'
import { kubeconfigFile } from './kubeconfig-file.ts'

interface ExplainFlags {
  readonly namespace?: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly output?: string
  readonly from?: string
  readonly to?: string
  readonly port?: string
}

/** `bowsprit explain network POD`: which NetworkPolicies are about a pod, and what may flow. */
export function explainCommand(): Command {
  const network = new Command('network')
    .description('tell which NetworkPolicies are about a pod, whom they mean, and who reaches it; or whether one connection may be')
    .argument('<pod>', 'the pod, or NAMESPACE/POD')
    .option('--from <end>', 'judge one connection to the pod: from POD, NAMESPACE/POD or an address')
    .option('--to <end>', 'judge one connection from the pod: to POD, NAMESPACE/POD or an address')
    .option('--port <port>', 'of that connection: 80, 53/UDP, or the name of a port of the pod that receives it')
    .option('-n, --namespace <name>', 'the namespace of pods that name none (default: that of the context)')
    .option('--kubeconfig <file>', 'the cluster (default: $KUBECONFIG, ~/.kube/config, or the one that "bowsprit up" writes)')
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-o, --output <form>', '"json" for the whole report')
    .action(explainNetwork)
  return new Command('explain').description('tell what the objects of a cluster amount to').addCommand(network)
}

async function explainNetwork(name: string, flags: ExplainFlags): Promise<void> {
  try {
    const config = await loadKubeconfigFile(kubeconfigFile(flags.kubeconfig), flags.context === undefined ? {} : { context: flags.context })
    await using transport = httpsTransport(config)
    const world = await readWorld(createClient(transport))
    const find = (text: string) => findPod(world, text, flags.namespace ?? config.namespace ?? 'default')
    const told = flags.from === undefined && flags.to === undefined ? tellPod(find(name), world) : tellFlow(find(name), find, world, flags)
    console.log(flags.output === 'json' ? JSON.stringify(told.report, undefined, 2) : told.text)
  } catch (error) {
    console.error(`bowsprit explain network: ${messageOf(error)}`)
    process.exitCode = 1
  }
}

function tellPod(pod: NetworkPod, world: NetworkWorld) {
  const report = explainPod(pod, world)
  return { report, text: networkText(report) }
}

function tellFlow(pod: NetworkPod, find: (text: string) => NetworkPod, world: NetworkWorld, { from, to, port }: ExplainFlags) {
  if (from !== undefined && to !== undefined) throw new Error('name one of --from and --to: the pod is the other end')
  const own: Endpoint = { kind: 'pod', pod }
  const other = endpoint(from ?? to ?? '', find)
  const ends = from === undefined ? { from: own, to: other } : { from: other, to: own }
  const flow = { ...ends, ...flowPort(port, ends.to) }
  const verdict = judgeFlow(flow, world)
  return { report: { ...verdict, port: flow.port, protocol: flow.protocol }, text: flowText(flow, verdict) }
}

const endpoint = (text: string, find: (text: string) => NetworkPod): Endpoint =>
  parseIp(text) === undefined ? { kind: 'pod', pod: find(text) } : { kind: 'address', ip: text }

/** `80`, `53/UDP` or the name of a port; the only port of the receiver when it is not said. */
function flowPort(text: string | undefined, to: Endpoint): { readonly port: number; readonly protocol: Protocol } {
  const named = to.kind === 'pod' ? to.pod.ports : []
  if (text === undefined) {
    const [only] = named
    if (only === undefined || named.length > 1) throw new Error('name the port: --port 80, --port 53/UDP')
    return only
  }
  const [, number, protocol = 'TCP'] = /^(\d{1,5})(?:\/(TCP|UDP|SCTP))?$/.exec(text) ?? []
  if (number !== undefined) return { port: Number(number), protocol: protocol as Protocol }
  const found = named.find((p) => p.name === text)
  if (found === undefined) throw new Error(`the receiver has no port ${JSON.stringify(text)}`)
  return found
}

function findPod(world: NetworkWorld, text: string, ownNamespace: string): NetworkPod {
  const [namespace, name] = text.includes('/') ? text.split('/') : [ownNamespace, text]
  const found = world.pods.find((pod) => pod.namespace === namespace && pod.name === name)
  if (found === undefined) throw new Error(`there is no running pod ${namespace}/${name}`)
  return found
}

async function readWorld(client: Client): Promise<NetworkWorld> {
  const [namespaces, pods, policies] = await Promise.all([
    client.list({ group: '', version: 'v1', resource: 'namespaces' }),
    client.list({ group: '', version: 'v1', resource: 'pods' }),
    client.list({ group: 'networking.k8s.io', version: 'v1', resource: 'networkpolicies' }),
  ])
  return worldOf({ namespaces: namespaces.items, pods: pods.items, policies: policies.items })
}
