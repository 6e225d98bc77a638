import { connect } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { ENDPOINT_SLICES, PODS, SERVICES } from '../../../src/resources/refs.ts'
import type { Node, Pod, Service } from '../../../src/resources/types/core.ts'
import type { Client } from '../../../src/sdk/client/client.ts'
import { waitFor } from '../../../src/testing/wait-for.ts'
import { runInPod, runOnNode } from '../in-pod.ts'
import { withOwnProgram } from '../own-program.ts'
import { isReady } from '../real-pods.ts'
import type { TwoMachines } from '../two-machines.ts'

/** A recording of `real-node/services`: what is in the cluster, and what who asked was answered. */
export interface ServicesStory {
  readonly story: string
  readonly objects: readonly (Pod | Service)[]
  readonly facts: readonly Fact[]
}

interface Fact {
  readonly what: string
  /** A client, a node, or `outside`. */
  readonly from?: string
  readonly command?: string
  /** Several: those that came, of so many that asked. */
  readonly answer?: string | readonly string[]
  readonly slices?: readonly SliceFact[]
}

interface SliceFact {
  readonly for: string
  readonly family: string
  readonly conditions: readonly object[]
}

export interface ServicesPlayerDeps extends TwoMachines {
  readonly client: Client
  readonly namespace: string
  /** Those of the machines. */
  readonly nodes: readonly Node[]
  /** The pods that ask, one on each. */
  readonly clients: readonly Pod[]
}

/** Which endpoint is asked is chance, and rules follow a moment after objects: so often is asked until the answer is the recorded one. */
const TRIES = 30
const SOON_MS = 15_000

/** Plays recordings of services, one after the other. */
export class ServicesPlayer {
  readonly #deps: ServicesPlayerDeps
  /** Addresses of the pods of the story that is played, by name. */
  readonly #podIps = new Map<string, string>()

  constructor(deps: ServicesPlayerDeps) {
    this.#deps = deps
  }

  /** The facts of a story, as they are compared. */
  rowsOf({ facts }: ServicesStory): readonly unknown[] {
    return facts.map(({ what, from, answer, slices }) => ({ what, from, answer: recorded(answer), slices }))
  }

  async play(story: ServicesStory): Promise<readonly unknown[]> {
    const { client, namespace } = this.#deps
    for (const object of story.objects) await this.#create(object)
    const pods = story.objects.filter((object) => object.kind === 'Pod').map(({ metadata: { name = '' } }) => name)
    await this.#ready(pods)
    const rows: unknown[] = []
    for (const fact of story.facts) rows.push(await this.#found(fact, story, pods))
    for (const { kind, metadata } of story.objects) {
      const ref = { ...(kind === 'Pod' ? PODS : SERVICES), namespace, name: metadata.name ?? '' }
      await client.delete(ref, { gracePeriodSeconds: 0 }).catch(() => {})
    }
    await this.#soon(async () => (await client.list({ ...PODS, namespace })).items.length === this.#deps.clients.length)
    return rows
  }

  async #create(object: Pod | Service): Promise<void> {
    const { client, namespace, machines } = this.#deps
    // The machine beside the nodes reaches addresses that none of them has by way of the first node, as when this was recorded.
    for (const ip of (object as Service).spec?.externalIPs ?? []) await this.#deps.outside(`ip route replace ${ip} via ${machines[0].ip}`)
    if (object.kind === 'Pod') await client.create({ ...PODS, namespace }, { ...withOwnProgram(object), apiVersion: 'v1' })
    else await client.create({ ...SERVICES, namespace }, { ...(object as Service), apiVersion: 'v1' })
  }

  async #ready(names: readonly string[]): Promise<void> {
    const isRunning = async (name: string) => (await this.#pod(name))?.status?.phase === 'Running'
    const all = async (is: (name: string) => Promise<boolean>) => (await Promise.all(names.map(is))).every(Boolean)
    await waitFor(() => all(isRunning), { timeoutMs: 60_000 })
    // Some are never ready.
    await this.#soon(() => all(async (name) => isReady(await this.#pod(name))))
    for (const name of names) this.#podIps.set(name, (await this.#pod(name))?.status?.podIP ?? '')
  }

  readonly #pod = (name: string): Promise<Pod | undefined> =>
    this.#deps.client.get({ ...PODS, namespace: this.#deps.namespace, name }).catch(() => undefined)

  readonly #soon = (look: () => Promise<boolean>) => waitFor(look, { timeoutMs: SOON_MS }).catch(() => {})

  async #found(fact: Fact, story: ServicesStory, pods: readonly string[]): Promise<unknown> {
    const { what, from, command, answer, slices } = fact
    if (/^a connection held open/.test(what)) return { what, from, answer: await this.#outlived(story), slices: undefined }
    if (/while the only endpoint ends/.test(what))
      for (const name of pods) await this.#deps.client.delete({ ...PODS, namespace: this.#deps.namespace, name })
    if (/^after its end/.test(what)) await this.#gone(pods)
    if (slices !== undefined) return { what, from, answer, slices: await this.#slices(slices) }
    const asked = /^hairpin/.test(what) ? await this.#hairpin(story) : () => this.#ask(from ?? '', command ?? '')
    return { what, from, answer: await this.#answerLike(answer, asked), slices }
  }

  async #gone(names: readonly string[]): Promise<void> {
    const none = async () => (await Promise.all(names.map(this.#pod))).every((pod) => pod === undefined)
    await waitFor(none, { timeoutMs: 60_000 })
  }

  /** Asks until the answers are the recorded ones, or it was tried often enough. */
  async #answerLike(answer: Fact['answer'], ask: () => Promise<string>): Promise<Fact['answer']> {
    const wanted = recorded(answer)
    const seen = new Set<string>()
    let last = ''
    for (let i = 0; i < TRIES; i++) {
      last = await ask()
      if (!Array.isArray(wanted) && last === wanted) return last
      seen.add(last)
      // A time-out takes two seconds; it is no chance.
      if (/exit 28/.test(last) && i > 3) break
      if (Array.isArray(wanted) && isDeepStrictEqual([...seen].toSorted(), wanted) && i >= wanted.length * 2) break
    }
    return Array.isArray(wanted) ? [...seen].toSorted() : last
  }

  async #ask(from: string, command: string): Promise<string> {
    const { machines, outside, clients } = this.#deps
    const here = await this.#withAddresses(command)
    const number = Number(/-(\d)$/.exec(from)?.[1] ?? 0)
    const [machine, pod] = [machines[number - 1], clients[number - 1]]
    if (from === 'outside' || machine === undefined || pod === undefined) return this.#scrubbed((await outside(here)).out)
    const { out } = from.startsWith('client') ? await runInPod(machine, pod, here) : await runOnNode(here, machine)
    return this.#scrubbed(out)
  }

  /** The first pod asks the service it belongs to. */
  async #hairpin({ objects }: ServicesStory): Promise<() => Promise<string>> {
    const pod = await this.#pod('web-0')
    const service = objects.find(({ kind }) => kind === 'Service')?.metadata.name ?? ''
    const { clusterIP } = (await this.#service(service)).spec ?? {}
    const machine = this.#deps.machines[pod?.spec.nodeName === 'node-1' ? 0 : 1]
    if (pod === undefined) throw new Error('the story has no web-0')
    return async () => this.#scrubbed((await runInPod(machine, pod, `curl -gsm 2 http://${clusterIP}/clientip`)).out)
  }

  #service(name: string): Promise<Service> {
    return this.#deps.client.get({ ...SERVICES, namespace: this.#deps.namespace, name })
  }

  /** A command with the addresses of services, and the port that the story's one has on nodes. */
  async #withAddresses(command: string): Promise<string> {
    let text = command
    for (const [whole, name = ''] of command.matchAll(/<clusterIP of ([^>]+)>/g))
      text = text.replace(whole, (await this.#service(name)).spec?.clusterIP ?? '')
    if (!text.includes('<port>')) return text
    const { items } = await this.#deps.client.list({ ...SERVICES, namespace: this.#deps.namespace })
    const port = items.flatMap(({ spec }) => spec?.ports ?? []).find(({ nodePort }) => nodePort !== undefined)?.nodePort
    return text.replaceAll('<port>', String(port))
  }

  /** Two requests on one connection; the service is deleted between them. How many were answered. */
  async #outlived({ objects }: ServicesStory): Promise<string> {
    const { client, namespace } = this.#deps
    const name = objects.find(({ kind }) => kind === 'Service')?.metadata.name ?? ''
    const { clusterIP = '' } = (await this.#service(name)).spec ?? {}
    await this.#answerLike('<code> 200', () =>
      this.#ask('node-1', `curl -gsm 2 -o /dev/null -w '<code> %{http_code}' http://${clusterIP}/`),
    )
    const socket = connect(80, clusterIP)
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('error', () => {})
    const answers = () => text.match(/HTTP\/1\.1 200/g)?.length ?? 0
    socket.write('GET /hostname HTTP/1.1\r\nHost: a\r\n\r\n')
    await this.#soon(async () => answers() === 1)
    await client.delete({ ...SERVICES, namespace, name })
    const refused = () => this.#ask('node-1', `curl -gsm 2 http://${clusterIP}/; echo "exit $?"`)
    await this.#soon(async () => (await refused()) !== 'exit 0')
    socket.write('GET /hostname HTTP/1.1\r\nHost: a\r\n\r\n')
    await this.#soon(async () => answers() === 2)
    socket.destroy()
    return String(answers())
  }

  async #slices(wanted: readonly SliceFact[]): Promise<readonly SliceFact[]> {
    let found: readonly SliceFact[] = []
    await this.#soon(async () => {
      const { items } = await this.#deps.client.list({ ...ENDPOINT_SLICES, namespace: this.#deps.namespace })
      found = items
        .map(({ metadata, addressType, endpoints }) => ({
          for: metadata.labels?.['kubernetes.io/service-name'] ?? '',
          family: addressType,
          conditions: (endpoints ?? []).map(({ conditions = {} }) => conditions),
        }))
        .toSorted((a, b) => (a.for < b.for ? -1 : 1))
      return isDeepStrictEqual(found, wanted)
    })
    return found
  }

  /** Names in the place of addresses, as the recordings have them. */
  #scrubbed(text: string): string {
    const { clients, nodes } = this.#deps
    const names = new Map([...this.#podIps].map(([name, ip]) => [ip, `<${name}>`]))
    for (const { metadata, status } of clients) names.set(status?.podIP ?? '', `<${metadata.name}>`)
    for (const [i, { spec }] of nodes.entries()) names.set(bridgeOf(spec?.podCIDRs?.[0] ?? ''), `10.244.${i}.1`)
    return withoutPorts(text.replaceAll(/\d+\.\d+\.\d+\.\d+/g, (ip) => names.get(ip) ?? ip))
  }
}

const bridgeOf = (cidr: string) => cidr.replace(/\.0\/\d+$/, '.1')
/** Ports of clients are chosen by the kernel. */
const withoutPorts = (text: string) => text.trim().replaceAll(/(?<=[\d>]):\d+(?=$|\s)/g, ':<port>')

/** An answer as it is compared. */
function recorded(answer: Fact['answer']): Fact['answer'] {
  if (typeof answer === 'string' || answer === undefined) return answer === undefined ? undefined : withoutPorts(answer)
  return [...new Set(answer.map(withoutPorts))].toSorted()
}
