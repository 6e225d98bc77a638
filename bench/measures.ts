/** The measures that run against any API server, given its kubeconfig. */
import { type Api, openApi, percentile, pump } from './api.ts'
import { pod } from './objects.ts'

export interface Result {
  readonly measure: string
  readonly value: string
  readonly aim: string
  readonly upstream: string
  /** How many times better than the real one (above 1 is better); undefined where there is no counterpart. */
  readonly ratio?: number
}

/** `pid`: the server's process, where it is known. */
export type Measure = (kubeconfig: string, pid?: number) => Promise<Result[]>

const perSecond = (n: number, ms: number) => Math.round((n / ms) * 1000)
const rate = (n: number) => `${n.toLocaleString('en')}/s`

/** A fresh namespace with its service account. */
export async function namespace(api: Api, name: string): Promise<string> {
  await api.request('POST', '/api/v1/namespaces', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }))
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }
  await api.request('POST', `/api/v1/namespaces/${name}/serviceaccounts`, JSON.stringify(account))
  return `/api/v1/namespaces/${name}`
}

const fresh = () => `bench-${Date.now().toString(36)}`

export const getPod: Measure = async (kubeconfig) => {
  using api = await openApi(kubeconfig, 4)
  const ns = await namespace(api, fresh())
  await api.request('POST', `${ns}/pods`, pod('one', { schedulerName: 'nobody' }))
  await pump(5_000, 64, () => api.request('GET', `${ns}/pods/one`))
  const n = 60_000
  const run = await pump(n, 64, () => api.request('GET', `${ns}/pods/one`))
  const got = perSecond(n, run.totalMs)
  return [
    {
      measure: 'GET one pod, 64 clients',
      value: `${rate(got)}, p99 ${percentile(run.each, 0.99).toFixed(1)} ms`,
      aim: '≥ 25,000/s',
      upstream: '5,300/s',
      ratio: got / 5300,
    },
  ]
}

export const createPods: Measure = async (kubeconfig) => {
  using api = await openApi(kubeconfig, 4)
  const results: Result[] = []
  for (const [width, n, aim, upstream] of [
    [64, 15_000, 5000, 1800],
    [1, 3_000, 2500, 650],
  ] as const) {
    const ns = await namespace(api, `${fresh()}-${width}`)
    await pump(300, width, (i) => create(api, ns, `warm-${i}`))
    const run = await pump(n, width, (i) => create(api, ns, `pod-${i}`))
    const got = perSecond(n, run.totalMs)
    results.push({
      measure: `durable pod creates, ${width} client${width === 1 ? '' : 's'}`,
      value: `${rate(got)}, p99 ${percentile(run.each, 0.99).toFixed(1)} ms`,
      aim: `≥ ${rate(aim)}`,
      upstream: rate(upstream),
      ratio: got / upstream,
    })
  }
  return results
}

async function create(api: Api, ns: string, name: string): Promise<void> {
  const { status, body } = await api.request('POST', `${ns}/pods`, pod(name, { schedulerName: 'nobody' }))
  if (status !== 201) throw new Error(`a pod was answered with ${status}: ${body.toString().slice(0, 300)}`)
}

export const listPods: Measure = async (kubeconfig) => {
  using api = await openApi(kubeconfig, 4)
  const ns = await namespace(api, fresh())
  await pump(10_000, 64, (i) => create(api, ns, `pod-${i}`))
  const accept = {
    plain: 'application/json',
    table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    metadata: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  }
  const best = async (kind: keyof typeof accept) => {
    const runs = []
    for (let i = 0; i < 7; i++) runs.push(await api.request('GET', `${ns}/pods`, undefined, undefined, accept[kind]))
    return {
      first: percentile(
        runs.map((r) => r.firstByteMs),
        0.5,
      ),
      all: percentile(
        runs.map((r) => r.totalMs),
        0.5,
      ),
    }
  }
  const plain = await best('plain')
  const table = await best('table')
  const metadata = await best('metadata')
  const ms = (n: number) => `${n.toFixed(1)} ms`
  return [
    {
      measure: 'LIST of 10,000 pods: first byte / all',
      value: `${ms(plain.first)} / ${ms(plain.all)}`,
      aim: '≤ 5 / ≤ 60 ms',
      upstream: '28 / 317 ms',
      ratio: 317 / plain.all,
    },
    { measure: 'LIST of 10,000 pods as Table', value: ms(table.all), aim: '≤ 90 ms', upstream: '264 ms', ratio: 264 / table.all },
    { measure: 'LIST of 10,000 pods as metadata', value: ms(metadata.all), aim: '≤ 40 ms', upstream: '102 ms', ratio: 102 / metadata.all },
  ]
}

export const patchPods: Measure = async (kubeconfig) => {
  using api = await openApi(kubeconfig, 4)
  const ns = await namespace(api, fresh())
  const pods = 200
  await pump(pods, 64, (i) => create(api, ns, `pod-${i}`))
  const results: Result[] = []
  const kinds = [
    ['merge patch', 'application/merge-patch+json', 893],
    ['strategic merge patch', 'application/strategic-merge-patch+json', 855],
    ['server-side apply', 'application/apply-patch+yaml', 1708],
  ] as const
  for (const [name, type, upstream] of kinds) {
    const n = 10_000
    const body = (i: number) =>
      JSON.stringify({
        ...(type.includes('apply') ? { apiVersion: 'v1', kind: 'Pod' } : {}),
        metadata: { name: `pod-${i % pods}`, annotations: { 'bench/round': String(i) } },
      })
    const query = type.includes('apply') ? '?fieldManager=bench&force=true' : ''
    const send = async (i: number) => {
      const { status, body: text } = await api.request('PATCH', `${ns}/pods/pod-${i % pods}${query}`, body(i), type)
      if (status !== 200) throw new Error(`${name} was answered with ${status}: ${text.toString().slice(0, 300)}`)
    }
    await pump(500, 64, send)
    const run = await pump(n, 64, send)
    const got = perSecond(n, run.totalMs)
    results.push({
      measure: `${name}, 64 clients, durable`,
      value: rate(got),
      aim: '≥ 4,000/s',
      upstream: rate(upstream),
      ratio: got / upstream,
    })
  }
  return results
}

const SENT = Buffer.from('"sent":"')

export const watchFanOut: Measure = async (kubeconfig) => {
  using api = await openApi(kubeconfig, 16)
  const ns = await namespace(api, fresh())
  const streams = 1_000
  const changes = 400
  let events = 0
  const delays: number[] = []
  const open = Array.from({ length: streams }, () => {
    // An event may be cut in two on its way.
    let tail = Buffer.alloc(0)
    return api.stream(`${ns}/configmaps?watch=1`, (bytes) => {
      const now = performance.now()
      const text = tail.length === 0 ? bytes : Buffer.concat([tail, bytes])
      let from = 0
      for (let at = text.indexOf(SENT); at >= 0; at = text.indexOf(SENT, from)) {
        const end = text.indexOf(34, at + SENT.length)
        if (end < 0) break
        events++
        if (events % 97 === 0) delays.push(now - Number(text.toString('latin1', at + SENT.length, end)))
        from = end + 1
      }
      const cut = text.indexOf(SENT, from)
      tail = Buffer.from(text.subarray(cut >= 0 ? cut : Math.max(from, text.length - SENT.length)))
    })
  })
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const started = performance.now()
  await pump(changes, 16, (i) =>
    api.request(
      'POST',
      `${ns}/configmaps`,
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${i}` }, data: { sent: String(performance.now()) } }),
    ),
  )
  while (events < streams * changes && performance.now() - started < 60_000) await new Promise((resolve) => setTimeout(resolve, 5))
  const ms = performance.now() - started
  for (const s of open) s.close()
  const got = perSecond(events, ms)
  return [
    {
      measure: 'watch events delivered, 1,000 streams',
      value: `${rate(got)}, p50 ${percentile(delays, 0.5).toFixed(0)} ms (${events} of ${streams * changes})`,
      aim: '≥ 200,000/s, p50 ≤ 50 ms',
      upstream: '82,000/s, 552 ms',
      ratio: got / 82_000,
    },
  ]
}
