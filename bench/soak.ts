/**
 * `node bench/soak.ts [--seconds 600]`: a server under everything that could make it hold memory for ever: fat objects that change without
 * end, watchers that do not read, names that are watched once, lists that are not read to their last page, custom objects whose schema
 * changes. Prints the resident memory as it goes, and fails when the last third of the time has more than a tenth more than the second.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Api, openApi, percentile, readKubeconfig } from './api.ts'
import { startProcess, stopProcess } from './cluster-measures.ts'
import { residentMib } from './cpu-per-op.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } })
const seconds = Number(values.seconds)
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const FAT_BYTES = 200 * 1024
const FATS = 24
const GADGETS = 500
const LAGGING = 20

if (!existsSync('/proc/self/status')) throw new Error('the soak reads /proc: it needs Linux')
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const counts: Record<string, number> = {}
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

let over = false
/** Does it again and again until the time is over; what fails is counted, and goes on. */
async function again(what: string, everyMs: number, job: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; !over; i++) {
    await job(i).then(
      () => count(what),
      () => count(`${what} failed`),
    )
    await pause(everyMs)
  }
}

const configMap = (name: string, bytes: number, i: number) =>
  JSON.stringify({
    metadata: { name, labels: { round: String(i % 7) } },
    data: { x: `${i} `.repeat(Math.ceil(bytes / (String(i).length + 1))) },
  })

async function must(api: Api, method: string, where: string, body?: string): Promise<Buffer> {
  const answer = await api.request(method, where, body)
  if (answer.status >= 400) throw new Error(`${method} ${where}: ${answer.status} ${answer.body.toString().slice(0, 200)}`)
  return answer.body
}

/** Fat objects that change without end, watched by two who read along. */
async function fatUpdates(api: Api): Promise<void> {
  for (let i = 0; i < FATS; i++) await must(api, 'POST', CONFIG_MAPS, configMap(`fat-${i}`, FAT_BYTES, 0))
  for (let i = 0; i < 2; i++) api.stream(`${CONFIG_MAPS}?watch=1&resourceVersion=0`, () => {})
  await again('fat updates', 20, (i) => must(api, 'PUT', `${CONFIG_MAPS}/fat-${i % FATS}`, configMap(`fat-${i % FATS}`, FAT_BYTES, i)))
}

/** Clients that open a watch and never read; now and then one gives up, and another comes. */
async function laggingClients(kubeconfig: string): Promise<void> {
  const kube = readKubeconfig(kubeconfig)
  const tls = { ...(kube.ca && { ca: kube.ca }), ...(kube.cert && { cert: kube.cert }), ...(kube.key && { key: kube.key }) }
  const open: { session: ClientHttp2Session; stream: ClientHttp2Stream }[] = []
  await again('lagging clients', 500, async () => {
    const session = connect(kube.server, tls)
    session.on('error', () => {})
    const stream = session.request({ ':path': `${CONFIG_MAPS}?watch=1&resourceVersion=0` })
    stream.on('error', () => {})
    open.push({ session, stream })
    if (open.length > LAGGING) open.shift()?.session.destroy()
  })
  for (const { session } of open) session.destroy()
}

/** Thousands of names, each watched once (kubectl wait, kubelets and their secrets). */
async function namesWatched(api: Api): Promise<void> {
  await again('names watched', 5, async (i) => {
    const watch = api.stream(`${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Dname-${i}`, () => {})
    await pause(20)
    watch.close()
  })
}

/** Lists whose first page is all that anybody reads. */
async function unfinishedLists(api: Api): Promise<void> {
  await again('first pages', 200, () => must(api, 'GET', `${CONFIG_MAPS}?limit=3`))
}

/** Small objects that come and go: a history of many small events. */
async function churn(api: Api): Promise<void> {
  await again('churn', 5, async (i) => {
    await must(api, 'POST', CONFIG_MAPS, configMap(`small-${i}`, 100, i))
    await must(api, 'DELETE', `${CONFIG_MAPS}/small-${i}`)
  })
}

/** Custom objects seen through a schema that changes. */
async function schemaChanges(api: Api): Promise<void> {
  const definition = (i: number) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gadgets.soak.example.com' },
    spec: {
      group: 'soak.example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', default: {}, properties: { [`f${i}`]: { type: 'string', default: `value ${i}` } } } },
            },
          },
        },
      ],
    },
  })
  await must(api, 'POST', DEFINITIONS, JSON.stringify(definition(0)))
  const gadgets = '/apis/soak.example.com/v1/namespaces/default/gadgets'
  await pause(300)
  for (let i = 0; i < GADGETS; i++)
    await must(api, 'POST', gadgets, JSON.stringify({ apiVersion: 'soak.example.com/v1', kind: 'Gadget', metadata: { name: `g${i}` } }))
  await again('schema changes', 1000, async (i) => {
    const patch = JSON.stringify([{ op: 'replace', path: '/spec/versions', value: definition(i).spec.versions }])
    await api.request('PATCH', `${DEFINITIONS}/gadgets.soak.example.com`, patch, 'application/json-patch+json')
    await must(api, 'GET', gadgets)
  })
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-soak-'))
const server = await startProcess(folder, '--parts', 'server')
const samples: number[] = []
try {
  using api = await openApi(server.kubeconfig, 4)
  const work = [fatUpdates(api), laggingClients(server.kubeconfig), namesWatched(api), unfinishedLists(api), churn(api), schemaChanges(api)]
  const begun = performance.now()
  while (performance.now() - begun < seconds * 1000) {
    await Promise.race([pause(1000), Promise.all(work)])
    samples.push(residentMib(server.child.pid ?? 0))
    if (samples.length % Math.max(1, Math.round(seconds / 20)) === 0)
      console.log(`${Math.round((performance.now() - begun) / 1000)} s: ${Math.round(samples.at(-1) ?? 0)} MiB`)
  }
  over = true
  await Promise.allSettled(work)
} finally {
  await stopProcess(server)
  rmSync(folder, { recursive: true, force: true })
}
const third = Math.floor(samples.length / 3)
const middle = percentile(samples.slice(third, 2 * third), 0.5)
const last = percentile(samples.slice(2 * third), 0.5)
console.log(
  Object.entries(counts)
    .map(([what, n]) => `${what}: ${n}`)
    .join(', '),
)
console.log(`median of the second third ${Math.round(middle)} MiB, of the last ${Math.round(last)} MiB: ${(last / middle).toFixed(3)}`)
if (last > middle * 1.1) {
  console.log('FAIL: it grows')
  process.exitCode = 1
} else console.log('ok')
