import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

/** The allowed imports between the parts of `src/` (ARCHITECTURE.md). */
const MAY: Readonly<Record<string, readonly string[]>> = {
  base: [],
  machinery: ['base'],
  resources: ['base', 'machinery'],
  storage: ['base'],
  'storage/etcd': ['base', 'machinery', 'sdk'],
  streaming: ['base', 'machinery'],
  etcd: ['base', 'machinery', 'resources', 'storage', 'sdk'],
  sdk: ['base', 'machinery', 'resources'],
  apiserver: ['base', 'machinery', 'storage', 'streaming'],
  server: ['base', 'machinery', 'resources', 'storage', 'streaming', 'apiserver'],
  'server/custom': ['base', 'machinery', 'resources', 'storage', 'apiserver', 'sdk'],
  'server/aggregation': ['base', 'machinery', 'resources', 'storage', 'apiserver', 'sdk'],
  'aggregated-api': ['base', 'machinery', 'resources', 'storage', 'sdk', 'apiserver', 'server'],
  scheduler: ['base', 'machinery', 'resources', 'sdk'],
  controllers: ['base', 'machinery', 'resources', 'sdk'],
  node: ['base', 'machinery', 'resources', 'sdk', 'shell'],
  'node/api': ['base', 'machinery', 'resources', 'sdk', 'streaming'],
  'node/runtime': ['base', 'machinery', 'sdk', 'streaming'],
  'metrics-server': ['base', 'machinery', 'resources'],
  threads: ['base', 'machinery'],
  page: ['base', 'machinery', 'resources', 'sdk'],
  'page/wire': [],
  'page/trial': [],
  'page/browser': ['machinery'],
  shell: ['base', 'machinery'],
  cluster: [
    'base',
    'machinery',
    'resources',
    'storage',
    'streaming',
    'sdk',
    'apiserver',
    'server',
    'aggregated-api',
    'tools',
    'scheduler',
    'controllers',
    'node',
    'metrics-server',
    'page',
    'threads',
  ],
  testing: [
    'base',
    'machinery',
    'resources',
    'storage',
    'streaming',
    'sdk',
    'apiserver',
    'server',
    'tools',
    'scheduler',
    'controllers',
    'node',
    'metrics-server',
    'page',
    'cluster',
  ],
  tools: ['base', 'machinery', 'resources', 'sdk', 'apiserver', 'server'],
  cli: ['base', 'machinery', 'etcd', 'resources', 'sdk', 'controllers', 'scheduler', 'server', 'page', 'cluster', 'tools', 'testing'],
}

/**
 * The same inside a part, from low to high; a file next to the folders counts as a folder of its name. Imports from other parts are in the
 * table above. A row has the longest path: `node/allocation/hints`.
 */
const INSIDE: Readonly<Record<string, readonly string[]>> = {
  'machinery/api-call.ts': ['object.ts', 'streams.ts'],
  'machinery/cel': ['field-error.ts', 'go', 'ip-address.ts', 'names.ts', 'object.ts', 'quantity.ts', 'schema'],
  'machinery/cloned-in-steps.ts': ['object.ts', 'weight.ts'],
  'machinery/configuration-file.ts': ['go', 'json', 'object.ts', 'yaml'],
  'machinery/flags': ['field-error.ts', 'go', 'ip-address.ts'],
  'machinery/go': ['object.ts'],
  'machinery/ignoring.ts': ['status-error.ts'],
  'machinery/ip-address.ts': ['field-error.ts'],
  'machinery/field-error.ts': ['escape-html.ts'],
  'machinery/json': ['equal.ts', 'escape-html.ts', 'field-error.ts', 'object.ts'],
  'machinery/kept.ts': ['object.ts'],
  'machinery/managed-fields': [
    'equal.ts',
    'field-error.ts',
    'json',
    'object.ts',
    'schema',
    'sorted-keys.ts',
    'status-error.ts',
    'weight.ts',
  ],
  'machinery/names.ts': ['ip-address.ts'],
  'machinery/network': ['ip-address.ts', 'object.ts', 'resource', 'selectors', 'validation'],
  'machinery/process-outcome.ts': ['object.ts', 'status-error.ts'],
  'machinery/protobuf': ['object.ts', 'schema'],
  'machinery/resource': ['field-error.ts', 'json', 'object.ts', 'schema', 'sorted-keys.ts', 'validation'],
  'machinery/schema': ['cloned-in-steps.ts', 'field-error.ts', 'go', 'json', 'object.ts', 'quantity.ts', 'sorted-keys.ts', 'weight.ts'],
  'machinery/selectors': ['field-error.ts', 'names.ts', 'validation'],
  'machinery/sorted-keys.ts': ['object.ts'],
  'machinery/status-error.ts': ['field-error.ts', 'object.ts'],
  'machinery/structural': [
    'cel',
    'equal.ts',
    'field-error.ts',
    'go',
    'ip-address.ts',
    'json',
    'names.ts',
    'object.ts',
    'schema',
    'sorted-keys.ts',
    'validation',
  ],
  'machinery/terminal-sizes.ts': ['streams.ts'],
  'machinery/validation': ['equal.ts', 'field-error.ts', 'names.ts', 'object.ts'],
  'machinery/weight.ts': ['object.ts'],
  'machinery/yaml': ['field-error.ts', 'object.ts'],
  'apiserver/identity': [],
  'apiserver/request': ['identity'],
  'apiserver/admission': ['request'],
  'apiserver/kinds.ts': [],
  'apiserver/cache': [],
  'apiserver/metrics': ['admission', 'audit', 'cache', 'discovery', 'request'],
  'apiserver/flow': ['cache', 'identity', 'metrics', 'request'],
  'apiserver/audit': ['request'],
  'apiserver/tables': ['kinds.ts'],
  'apiserver/openapi': ['kinds.ts'],
  'apiserver/delegate-server.ts': [],
  'apiserver/peer-servers.ts': ['delegate-server.ts'],
  'apiserver/service-target.ts': [],
  'apiserver/extension-points.ts': ['identity', 'request', 'store'],
  'apiserver/trail': ['admission', 'metrics', 'request', 'store'],
  'apiserver/deps.ts': [
    'admission',
    'audit',
    'cache',
    'delegate-server.ts',
    'extension-points.ts',
    'flow',
    'http',
    'identity',
    'kinds.ts',
    'metrics',
    'peer-servers.ts',
    'request',
    'store',
    'trail',
  ],
  'apiserver/reports': ['cache', 'extension-points.ts', 'store'],
  'apiserver/discovery': ['cache', 'delegate-server.ts', 'deps.ts', 'handlers', 'http', 'kinds.ts', 'metrics', 'openapi', 'request'],
  'apiserver/handlers': ['admission', 'cache', 'deps.ts', 'extension-points.ts', 'identity', 'kinds.ts', 'reports', 'request', 'store'],
  'apiserver/http': [
    'audit',
    'cache',
    'delegate-server.ts',
    'extension-points.ts',
    'handlers',
    'identity',
    'kinds.ts',
    'pipeline',
    'request',
    'store',
    'tables',
  ],
  'apiserver/store': ['admission', 'cache', 'kinds.ts', 'request'],
  'apiserver/pipeline': [
    'audit',
    'delegate-server.ts',
    'deps.ts',
    'extension-points.ts',
    'handlers',
    'identity',
    'peer-servers.ts',
    'request',
  ],
  'apiserver/in-process': ['extension-points.ts', 'handlers', 'pipeline', 'request', 'store'],
  'apiserver/encoded': ['cache', 'handlers', 'http', 'in-process', 'pipeline', 'store'],
  'apiserver/server.ts': ['deps.ts', 'discovery', 'encoded', 'extension-points.ts', 'http', 'identity', 'in-process', 'store'],
  'server/kubernetes-kinds.ts': ['apiserver/kinds.ts'],
  'server/actions': [
    'allocation',
    'apiserver/extension-points.ts',
    'apiserver/handlers',
    'apiserver/identity',
    'apiserver/request',
    'apiserver/store',
  ],
  'server/reports': [
    'apiserver/cache',
    'apiserver/extension-points.ts',
    'apiserver/handlers',
    'apiserver/identity',
    'apiserver/request',
    'apiserver/trail',
  ],
  'server/allocation': [],
  'server/webhook-callers': [],
  'server/options-error.ts': [],
  'server/option-file.ts': ['options-error.ts'],
  'server/encryption': ['option-file.ts'],
  'server/options': [
    'admission',
    'auth',
    'audit',
    'encryption',
    'webhook-callers',
    'option-file.ts',
    'options-error.ts',
    'apiserver/audit',
  ],
  'server/audit': ['webhook-callers', 'option-file.ts', 'options-error.ts', 'apiserver/audit'],
  'server/auth': [
    'webhook-callers',
    'option-file.ts',
    'options-error.ts',
    'apiserver/cache',
    'apiserver/extension-points.ts',
    'apiserver/identity',
    'apiserver/metrics',
    'apiserver/request',
  ],
  'server/admission': [
    'auth',
    'webhook-callers',
    'services',
    'apiserver/admission',
    'apiserver/service-target.ts',
    'apiserver/cache',
    'apiserver/extension-points.ts',
    'apiserver/handlers',
    'apiserver/identity',
    'apiserver/metrics',
    'apiserver/store',
  ],
  'server/bootstrap': ['auth', 'apiserver/cache', 'apiserver/extension-points.ts'],
  'server/etcd-layout': ['options', 'apiserver/cache', 'apiserver/kinds.ts'],
  'server/flow-schemas': ['apiserver/cache'],
  'server/kubernetes-service': ['bootstrap', 'apiserver/cache', 'apiserver/extension-points.ts'],
  'server/services': ['apiserver/service-target.ts'],
  'server/proxy': ['aggregation', 'services', 'apiserver/extension-points.ts'],
  'server/aggregation': [
    'bootstrap',
    'options',
    'services',
    'apiserver/cache',
    'apiserver/discovery',
    'apiserver/delegate-server.ts',
    'apiserver/metrics',
    'apiserver/service-target.ts',
    'apiserver/store',
  ],
  'server/peers': [
    'aggregation',
    'kubernetes-service',
    'services',
    'apiserver/cache',
    'apiserver/delegate-server.ts',
    'apiserver/peer-servers.ts',
  ],
  'server/custom': ['admission', 'apiserver/cache', 'apiserver/store', 'apiserver/discovery', 'apiserver/extension-points.ts'],
  'scheduler/pod-facts.ts': [],
  'scheduler/cache': ['pod-facts.ts'],
  'scheduler/framework': ['cache'],
  'scheduler/queue': ['cache', 'framework'],
  'scheduler/devices': ['cache', 'framework'],
  'scheduler/plugins': ['cache', 'devices', 'framework'],
  'scheduler/extender': ['cache', 'framework'],
  'scheduler/config': ['cache', 'extender', 'framework', 'plugins'],
  'scheduler/legacy': ['config', 'framework', 'plugins'],
  'scheduler/external': ['cache', 'config', 'framework', 'legacy'],
  'scheduler/attempts.ts': ['framework'],
  'scheduler/scheduler-metrics.ts': ['framework', 'queue'],
  'scheduler/cluster-state.ts': ['cache', 'framework', 'pod-facts.ts'],
  'scheduler/nominations.ts': ['cache'],
  'scheduler/pod-writer.ts': ['cache', 'framework'],
  'scheduler/served-profiles.ts': ['cache', 'framework', 'pod-facts.ts', 'queue'],
  'scheduler/cycle.ts': [
    'attempts.ts',
    'cache',
    'cluster-state.ts',
    'framework',
    'nominations.ts',
    'pod-facts.ts',
    'pod-writer.ts',
    'queue',
    'served-profiles.ts',
    'scheduler-metrics.ts',
  ],
  'scheduler/explain': ['attempts.ts', 'cache', 'cluster-state.ts', 'config', 'framework', 'nominations.ts', 'plugins', 'pod-facts.ts'],
  'scheduler/pod-intake.ts': ['cache', 'framework', 'nominations.ts', 'pod-facts.ts', 'queue'],
  'scheduler/changes.ts': [],
  'scheduler/in-flight.ts': [],
  'scheduler/scheduler.ts': [
    'attempts.ts',
    'changes.ts',
    'cluster-state.ts',
    'config',
    'cycle.ts',
    'explain',
    'extender',
    'external',
    'framework',
    'in-flight.ts',
    'nominations.ts',
    'pod-facts.ts',
    'pod-intake.ts',
    'pod-writer.ts',
    'queue',
    'served-profiles.ts',
    'scheduler-metrics.ts',
  ],
  'scheduler/run-scheduler.ts': ['config', 'scheduler.ts'],
  'page/wire': [],
  'page/server': ['wire'],
  'page/trial': ['wire'],
  'page/browser': ['wire', 'trial'],
  'node/checkpoints': [],
  'node/feed.ts': ['types'],
  'node/machine': [],
  'node/metrics': ['runtime', 'types'],
  'node/network': ['runtime'],
  'node/images': ['runtime', 'types'],
  'node/csi': ['plugins', 'runtime', 'types', 'volumes'],
  'node/cni': ['pod', 'runtime', 'types'],
  'node/flex-volume': ['plugins', 'types', 'volumes'],
  'node/real': [
    'configuration',
    'csi',
    'eviction',
    'flex-volume',
    'images',
    'network',
    'host',
    'plugins',
    'pod',
    'runtime',
    'shutdown',
    'status',
    'types',
    'volumes',
  ],
  'node/runtime/cri': ['runtime'],
  'node/certificates': ['metrics'],
  'node/nftables': [],
  'node/cluster-objects.ts': [],
  'node/service-proxy': ['cluster-objects.ts', 'nftables', 'types'],
  'node/routes': ['cluster-objects.ts', 'nftables', 'types'],
  'node/network-policy': ['cluster-objects.ts', 'nftables', 'types'],
  'node/dns': ['cluster-objects.ts', 'types'],
  'node/plugins': [],
  'node/runtime': [],
  'node/link': ['feed.ts', 'types'],
  'node/status': ['runtime'],
  'node/types': ['runtime'],
  'node/admission': ['runtime', 'types'],
  'node/allocation/claims': ['checkpoints', 'metrics', 'plugins', 'runtime', 'types'],
  'node/allocation/hints': ['machine', 'runtime', 'types'],
  'node/host': ['runtime', 'types'],
  'node/probes': ['runtime', 'types'],
  'node/shutdown': ['status', 'types'],
  'node/allocation/devices': ['allocation/hints', 'checkpoints', 'machine', 'metrics', 'plugins', 'runtime', 'status', 'types'],
  'node/eviction': ['admission', 'metrics', 'runtime', 'status', 'types'],
  'node/pod': ['host', 'metrics', 'probes', 'runtime', 'types'],
  'node/allocation/devices-entry.ts': ['allocation/claims', 'allocation/devices', 'plugins'],
  'node/configuration': ['eviction', 'machine', 'runtime', 'shutdown'],
  'node/static-pods': ['pod', 'types'],
  'node/volumes': ['plugins', 'pod', 'runtime', 'status', 'types'],
  'node/agent-deps.ts': ['feed.ts', 'host', 'metrics', 'pod', 'probes', 'runtime', 'static-pods', 'status', 'types'],
  'node/pod-worker-deps.ts': ['admission', 'agent-deps.ts', 'pod', 'types'],
  'node/node-pods.ts': ['admission', 'agent-deps.ts', 'host', 'metrics', 'pod', 'pod-worker-deps.ts', 'runtime', 'static-pods', 'types'],
  'node/agent.ts': ['agent-deps.ts', 'metrics', 'node-pods.ts', 'pod', 'runtime', 'status', 'types'],
  'node/allocation/cpus': ['allocation/hints', 'checkpoints', 'configuration', 'machine', 'runtime', 'types'],
  'node/allocation/memory': ['allocation/hints', 'checkpoints', 'configuration', 'machine', 'runtime', 'types'],
  'node/api': ['pod', 'probes', 'runtime', 'static-pods', 'status', 'types'],
  'node/programs': ['cni', 'network', 'runtime', 'types', 'volumes'],
  'node/recovery': ['feed.ts', 'pod', 'runtime', 'static-pods', 'types'],
  'node/allocation/topology': [
    'allocation/cpus',
    'allocation/devices',
    'allocation/hints',
    'allocation/memory',
    'checkpoints',
    'configuration',
    'machine',
    'metrics',
    'runtime',
    'status',
    'types',
  ],
  'node/allocation/topology-entry.ts': [
    'allocation/cpus',
    'allocation/devices',
    'allocation/memory',
    'allocation/topology',
    'checkpoints',
    'configuration',
    'machine',
  ],
}

interface Import {
  readonly from: string
  readonly to: string
  /** `import('…')`: loaded on demand. */
  readonly deferred: boolean
}

const root = path.join(import.meta.dirname, '..', 'src')
const isTest = (file: string) => /\.(test|contract|double)\.ts$/.test(file)

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const found: Import[] = []
  for (const m of text.matchAll(/^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'/gm)) {
    found.push({ from: file, to: path.join(path.dirname(file), m[2] ?? m[3] ?? ''), deferred: false })
  }
  for (const m of text.matchAll(/\bimport\('(\.[^']+)'\)/g))
    found.push({ from: file, to: path.join(path.dirname(file), m[1] ?? ''), deferred: true })
  return found
}

const files = globSync('**/*.{ts,tsx}', { cwd: root }).sort()
const all = files.flatMap(importsOf)

const room = (file: string) => {
  const [first = '', second = ''] = file.split('/')
  return MAY[`${first}/${second}`] ? `${first}/${second}` : first
}

test('imports keep to the table of the house', () => {
  const wrong = all
    .filter((i) => !isTest(i.from))
    .filter((i) => i.from.split('/')[0] !== i.to.split('/')[0] && !MAY[room(i.from)]?.includes(i.to.split('/')[0] ?? ''))
    .map((i) => `${i.from} imports ${i.to}`)
  assert.deepEqual(wrong, [])
})

/** The room of a file that has a row in `INSIDE`; undefined if its part has none. */
const roomInside = (file: string): string | undefined => {
  const parts = file.split('/')
  if (!Object.keys(INSIDE).some((row) => row.startsWith(`${parts[0]}/`))) return undefined
  const deeper = parts.slice(0, 3).join('/')
  return INSIDE[deeper] === undefined ? parts.slice(0, 2).join('/') : deeper
}

/** Inside one part, or between the two servers. */
const sameHouse = ({ from, to }: Import): boolean => {
  const part = (file: string) => (file.split('/')[0] ?? '').replace('apiserver', 'server')
  return part(from) === part(to)
}

test('imports inside a part keep to the table of its rooms', () => {
  const wrong = all.flatMap((i) => {
    const [from, to] = [roomInside(i.from), roomInside(i.to)]
    if (isTest(i.from) || from === undefined || to === undefined || from === to) return []
    const [home = ''] = i.from.split('/')
    const may = INSIDE[from]?.some((row) => to === (row.startsWith('apiserver/') ? row : `${home}/${row}`))
    return may || !sameHouse(i) ? [] : [`${i.from} imports ${i.to}`]
  })
  assert.deepEqual(wrong, [])
})

/** The shared folders of `src/controllers`, and their allowed imports; a controller imports these, and no other controller. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  frame: [],
  pods: ['frame'],
  template: ['frame', 'pods'],
  services: ['frame', 'pods'],
  volumes: ['frame'],
}

test('no two folders of a part import each other', () => {
  const folders = all.flatMap(({ from, to }) => {
    const [a, b] = [from.split('/'), to.split('/')]
    return !isTest(from) && a.length > 2 && b.length > 2 && a[0] === b[0] && a[1] !== b[1] ? [`${a[0]}: ${a[1]} ↔ ${b[1]}`] : []
  })
  const known = new Set(folders)
  const mutual = [...known].filter((pair) => known.has(pair.replace(/: (.*) ↔ (.*)/, ': $2 ↔ $1')))
  assert.deepEqual(mutual, [])
})

test('no controller imports another: only `all` knows them', () => {
  const folder = (file: string) => file.split('/')[1] ?? ''
  const isController = (file: string) => file.startsWith('controllers/')
  const wrong = all
    .filter((i) => !isTest(i.from) && isController(i.from) && isController(i.to) && folder(i.from) !== folder(i.to))
    .filter((i) => folder(i.from) !== 'all' && !(SHARED[folder(i.from)] ?? Object.keys(SHARED)).includes(folder(i.to)))
    .map((i) => `${i.from} imports ${i.to}`)
  assert.deepEqual(wrong, [])
})

test('every write takes the path of the resource store: nothing else commits to the cache', () => {
  const commits = /\b[rR]egistry\s*\.(put|remove|show)\(/
  const found = files
    .filter((f) => !isTest(f) && !f.startsWith('apiserver/store/') && !f.startsWith('apiserver/cache/'))
    .filter((f) => commits.test(readFileSync(path.join(root, f), 'utf8')))
  assert.deepEqual(found, [])
})

test('every imported file exists, under the name that is written', () => {
  const known = new Set(globSync('**/*', { cwd: root }))
  assert.deepEqual(
    all.filter((i) => !known.has(i.to) && !i.to.includes('generated/') && !i.to.startsWith('..')).map((i) => `${i.from} imports ${i.to}`),
    [],
  )
})

test('no cycle of imports exists, types and what is imported later included', () => {
  const next = Map.groupBy(
    all.filter((i) => !isTest(i.from)),
    (i) => i.from,
  )
  const state = new Map<string, 'open' | 'done'>()
  const cycles: string[] = []
  const visit = (file: string, trail: readonly string[]) => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
      return
    }
    state.set(file, 'open')
    for (const i of next.get(file) ?? []) visit(i.to, [...trail, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
  assert.deepEqual(cycles, [])
})

test('time, chance and later turns of the event loop are had from base/ alone', () => {
  const reads = /\b(Date\.now|Math\.random|setTimeout|setInterval|setImmediate|nextTick|queueMicrotask|performance\.now|randomUUID)\(/
  const wrong = files
    // The page's browser has a clock of its own: its user's.
    .filter((f) => !f.startsWith('base/') && !f.startsWith('cli/') && !f.startsWith('page/browser/') && !isTest(f))
    .flatMap((f) =>
      readFileSync(path.join(root, f), 'utf8')
        .split('\n')
        .flatMap((line, i) => (reads.test(line) && !/^\s*(\*|\/\/)/.test(line) ? [`${f}:${i + 1}: ${line.trim()}`] : [])),
    )
  assert.deepEqual(wrong, [])
})
