import { parseIp } from '../machinery/ip-address.ts'
import { explainPod, type NetworkReport } from '../machinery/network/explain-pod.ts'
import { type FlowVerdict, judgeFlow } from '../machinery/network/judge-flow.ts'
import type { Endpoint, NetworkPod, NetworkWorld, Protocol } from '../machinery/network/network-world.ts'
import { flowText, networkText } from './explain-network-text.ts'

/** The input of `bowsprit explain network`: a pod, or, with `from` or `to`, one connection of it. */
export interface NetworkQuestion {
  /** `POD` or `NAMESPACE/POD`. */
  readonly pod: string
  readonly from?: string
  readonly to?: string
  readonly port?: string
  /** The default namespace of pods. */
  readonly namespace: string
}

export interface NetworkVerdict {
  readonly report: NetworkReport | (FlowVerdict & { readonly port: number; readonly protocol: Protocol })
  readonly text: string
}

/** The report from the objects of a cluster. @throws {Error} if the input names an object that does not exist */
export function answerNetworkQuestion(question: NetworkQuestion, world: NetworkWorld): NetworkVerdict {
  const find = (text: string) => findPod(world, text, question.namespace)
  const pod = find(question.pod)
  if (question.from !== undefined || question.to !== undefined) return explainFlow(pod, find, world, question)
  const report = explainPod(pod, world)
  return { report, text: networkText(report) }
}

function explainFlow(pod: NetworkPod, find: (text: string) => NetworkPod, world: NetworkWorld, { from, to, port }: NetworkQuestion) {
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

/** `80`, `53/UDP` or the name of a port; by default the only port of the receiver. */
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
