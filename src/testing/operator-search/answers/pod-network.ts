import { type Duplex, duplexPair } from 'node:stream'
import { quiet, quietErrors } from '../../../base/quiet.ts'
import { clusterFetch } from '../../../node/programs/cluster-fetch.ts'
import { joinStreams } from '../../../node/programs/join-streams.ts'
import type { ProgramFetchInit } from '../../../node/programs/program.ts'
import { PODS, SERVICES } from '../../../resources/refs.ts'
import type { Pod, Service, ServicePort } from '../../../resources/types/core.ts'
import type { Client } from '../../../sdk/client/client.ts'

/** The network of a cluster's pods, as an operator in a pod sees it. */
export interface PodNetwork {
  /** A TCP connection to a pod or service: by its address, or by its name in DNS. */
  connect(host: string, port: number): Promise<Duplex>
  /** The web's `fetch` over such connections. */
  fetch(url: string | URL, init?: ProgramFetchInit): Promise<Response>
}

/** Reaches pods by port-forward, until the signal is aborted. */
export function podNetwork(client: Client, signal: AbortSignal): PodNetwork {
  const connect = async (host: string, port: number): Promise<Duplex> => {
    const { pod, port: targetPort } = await find(client, host, port)
    const { namespace = '', name = '' } = pod.metadata
    const ports = await client.portForward({ namespace, name }, { signal })
    const [near, far] = duplexPair()
    quietErrors(near, 'the other side has gone')
    quietErrors(far, 'the other side has gone')
    const joined = joinStreams(await ports.open(targetPort), far).finally(() => ports[Symbol.asyncDispose]())
    void quiet(joined, 'a connection that breaks is seen by those who use it')
    return near
  }
  return {
    connect,
    fetch: (url, init = {}) => clusterFetch(url, init, { connect, over: signal, read: () => '' }),
  }
}

/** The pod behind an address or a name, and its port. @throws {Error} when nothing is there */
async function find(client: Client, host: string, port: number): Promise<{ readonly pod: Readonly<Pod>; readonly port: number }> {
  const pods = (await client.list(PODS)).items as readonly Readonly<Pod>[]
  const services = (await client.list(SERVICES)).items as readonly Readonly<Service>[]
  const names = host
    .replace(/\.cluster\.local\.?$/, '')
    .replace(/\.svc$/, '')
    .split('.')
  const [namespace, name, member] = names.length > 1 ? names.reverse() : ['default', names[0]]
  const own = pods.find((pod) => pod.status?.podIP === host)
  if (own !== undefined) return { pod: own, port }
  const service = services.find((s) => s.spec?.clusterIP === host || (s.metadata.name === name && s.metadata.namespace === namespace))
  const behind = pods.filter((pod) => service !== undefined && isBehind(service, pod) && isReady(pod))
  const pod = member === undefined || service?.spec?.clusterIP === host ? behind[0] : behind.find((p) => p.metadata.name === member)
  if (service === undefined || pod === undefined) throw new Error(`connect to ${host}:${port}: no pod that is ready answers there`)
  const declared = service.spec?.ports?.find((p) => p.port === port)
  return { pod, port: member === undefined && declared !== undefined ? targetOf(declared, pod) : port }
}

function isBehind({ metadata, spec }: Readonly<Service>, pod: Readonly<Pod>): boolean {
  const selector = Object.entries(spec?.selector ?? {})
  const labels = pod.metadata.labels ?? {}
  return metadata.namespace === pod.metadata.namespace && selector.length > 0 && selector.every(([key, value]) => labels[key] === value)
}

const isReady = ({ status }: Readonly<Pod>) => status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') === true

function targetOf({ port, targetPort = port }: ServicePort, { spec }: Readonly<Pod>): number {
  if (typeof targetPort === 'number') return targetPort
  const ports = (spec?.containers ?? []).flatMap((c) => c.ports ?? [])
  return ports.find((p) => p.name === targetPort)?.containerPort ?? port
}
