import { once } from 'node:events'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { hostPort } from '../../base/http/host-port.ts'
import { StatusError } from '../../machinery/status-error.ts'
import type { PodLogQuery } from '../../node/pod/open-log.ts'
import { joinPort, joinProcess } from '../../node/runtime/cri/container-streams.ts'
import { NODES } from '../../resources/refs.ts'
import type { Node, Pod } from '../../resources/types/core.ts'
import type { Client } from '../../sdk/client/client.ts'
import type { NodeStreams, ProcessRequest } from '../../server/actions/node-streams.ts'
import type { CertifiedKey } from '../issued-certificates.ts'
import { unreachable } from './node-reach.ts'
import type { DialledKubelets } from './reach-all.ts'

export interface DialKubeletDeps {
  /** Reads Nodes. */
  readonly client: () => Client
  /** The client certificate of the API server. */
  readonly identity: () => CertifiedKey
}

/** Where a kubelet listens. */
interface KubeletAddress {
  readonly host: string
  readonly port: number
}

/** The address that kube-apiserver would take, but for names that this machine may not be able to resolve. */
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS', 'Hostname']

/** What the API server reaches of nodes that are processes of their own, through their kubelets' servers. */
export function dialledKubelets({ client, identity }: DialKubeletDeps): DialledKubelets {
  const placeOf = async (nodeName: string): Promise<KubeletAddress | undefined> => {
    const { items } = await client().list(NODES, { fieldSelector: `metadata.name=${nodeName}` })
    return items[0] && kubeletAddress(items[0])
  }
  const secret = () => {
    const { certificate: cert, key } = identity()
    // As kube-apiserver without `--kubelet-certificate-authority`: kubelets sign their own certificates.
    return { cert, key, rejectUnauthorized: false }
  }
  const targetOf = async ({ spec: { nodeName = '' }, metadata }: Pod, path: string, query: URLSearchParams) => {
    const place = await placeOf(nodeName)
    if (place === undefined) throw unreachable(`no agent of node ${nodeName}, where pod ${metadata.name} runs, is in this cluster`)
    return { url: `https://${hostPort(place.host, place.port)}${path}${query.size === 0 ? '' : `?${query}`}`, tls: secret() }
  }
  const command = async (verb: string, request: ProcessRequest, words: readonly string[]) => {
    const { pod, container, streams } = request
    const query = new URLSearchParams(words.map((word) => ['command', word]))
    for (const [name, wanted] of [
      ['input', streams.stdin],
      ['output', streams.stdout],
      ['error', streams.stderr],
      ['tty', streams.tty],
    ] as const)
      if (wanted) query.set(name, '1')
    const target = await targetOf(pod, `/${verb}/${pathOf(pod)}/${container}`, query)
    return async (given: Parameters<typeof joinProcess>[1], signal: AbortSignal) => ({ exitCode: await joinProcess(target, given, signal) })
  }
  const streams: NodeStreams = {
    exec: (request) => command('exec', request, request.command),
    attach: (request) => command('attach', request, []),
    async portForward(pod) {
      const target = await targetOf(pod, `/portForward/${pathOf(pod)}`, new URLSearchParams())
      return (port, connection) => joinPort(target, port, connection, new AbortController().signal)
    },
  }
  return {
    streams,
    async logs({ pod, container, query }, signal) {
      return readLog(await targetOf(pod, `/containerLogs/${pathOf(pod)}/${container}`, logQuery(query)), signal)
    },
    async kubelet(nodeName) {
      const place = await placeOf(nodeName)
      return place && connected(tls.connect({ ...place, ...secret() }))
    },
  }
}

const pathOf = ({ metadata: { namespace = '', name = '' } }: Pod) => `${namespace}/${name}`

/** Undefined: its Node does not say. */
function kubeletAddress({ status }: Node): KubeletAddress | undefined {
  const { addresses = [], daemonEndpoints } = status ?? {}
  const host = ADDRESS_TYPES.map((type) => addresses.find((a) => a.type === type)?.address).find((address) => address !== undefined)
  const port = daemonEndpoints?.kubeletEndpoint?.Port ?? 0
  return host === undefined || port === 0 ? undefined : { host, port }
}

function logQuery({ follow, previous, timestamps, tailLines, sinceMs }: PodLogQuery): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, wanted] of Object.entries({ follow, previous, timestamps })) if (wanted) query.set(name, 'true')
  if (tailLines !== undefined) query.set('tailLines', String(tailLines))
  if (sinceMs !== undefined) query.set('sinceTime', new Date(sinceMs).toISOString())
  return query
}

interface Target {
  readonly url: string
  readonly tls: https.RequestOptions
}

/** What a kubelet prints; its refusal becomes the API server's. */
async function readLog({ url, tls: options }: Target, signal: AbortSignal): Promise<AsyncIterable<string>> {
  const request = https.request(url, { ...options, signal })
  request.end()
  const [response] = await once(request, 'response')
  response.setEncoding('utf8')
  if (response.statusCode === 200) return response
  let message = ''
  for await (const text of response) message += text
  const reason = response.statusCode === 404 ? 'NotFound' : response.statusCode === 400 ? 'BadRequest' : 'InternalError'
  throw new StatusError({ code: response.statusCode ?? 500, reason, message: message.trim() })
}

async function connected(socket: tls.TLSSocket): Promise<Duplex> {
  await once(socket, 'secureConnect')
  return socket
}
