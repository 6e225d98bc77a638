import type { Clock } from '../../base/clock.ts'
import { type Family as AgentFamily, exposition as agentExposition } from '../../base/exposition.ts'
import type { Later } from '../../base/steps.ts'
import type { Handler } from './api-request.ts'
import type { KubeletApiConfig } from './configuration.ts'
import type { KubeletHost } from './kubelet-host.ts'
import { errorText, json, NOT_FOUND, text } from './kubelet-response.ts'
import { cadvisorFamilies } from './metrics/cadvisor.ts'
import { exposition, type Family } from './metrics/exposition.ts'
import { kubeletFamilies } from './metrics/kubelet.ts'
import { probeFamilies } from './metrics/probes.ts'
import { resourceFamilies } from './metrics/resource.ts'
import { volumeFamilies } from './metrics/volume-stats.ts'
import { checkpoint } from './pages/checkpoint.ts'
import { containerLogs } from './pages/container-logs.ts'
import { podList, runningPods } from './pages/pod-lists.ts'
import { run } from './pages/run.ts'
import { flagz, healthPages, statusz, verbosity } from './pages/small-pages.ts'
import { statsSummary } from './pages/stats-summary.ts'
import { commandStream, portStream } from './pages/streams.ts'
import { systemLogs } from './pages/system-logs.ts'
import type { RouteTable, Service } from './routes.ts'
import { createUsageMeter, type NodeUsage } from './usage.ts'

export interface RouteTableDeps {
  readonly host: KubeletHost
  readonly config: KubeletApiConfig
  readonly clock: Clock
  readonly startedMs: number
  /** `v1.36.3`. */
  readonly version: string
  /** The server's own metrics. */
  readonly counts: () => readonly AgentFamily[]
}

const JSON_ALONE = ['application/json']
const COMMAND_PATHS = ['/{podNamespace}/{podID}/{containerName}', '/{podNamespace}/{podID}/{uid}/{containerName}']

/** All routes of a kubelet, according to its configuration. */
export function routeTable(deps: RouteTableDeps): RouteTable {
  const { host, config, clock, startedMs, version } = deps
  const now = () => clock.now()
  const meter = createUsageMeter(host, now)
  const metrics = (
    families: (usage: NodeUsage, signal: AbortSignal) => Later<readonly Family[]>,
    more: () => string = () => '',
  ): Handler => {
    const headers = {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores',
      'Process-Start-Time-Unix': String(Math.trunc(startedMs / 1000)),
    }
    return async ({ signal }) => {
      const shown = await families(await meter.measure(signal), signal)
      return { code: 200, headers, body: exposition(shown) + more() }
    }
  }
  const started: Family = {
    name: 'process_start_time_seconds',
    type: 'gauge',
    stability: 'ALPHA',
    help: 'When the process started, in seconds since the Unix epoch',
    samples: [{ value: startedMs / 1000 }],
  }
  const summary = statsSummary(host, meter, startedMs)
  const plain: Record<string, Handler> = {
    ...healthPages(() => host.alive()),
    '/metrics': metrics(
      async (usage, signal) => [...kubeletFamilies({ host, usage, version }), ...(await volumeFamilies(host, usage, signal)), started],
      () => agentText([...deps.counts(), ...(host.families?.() ?? [])]),
    ),
    '/metrics/cadvisor': metrics((usage) => cadvisorFamilies(host, usage)),
    '/metrics/resource': metrics(resourceFamilies),
    '/metrics/probes': metrics(() => [started, ...probeFamilies(host.probes?.() ?? [])]),
    '/metrics/slis': metrics(() => [sliFamily(host.alive())]),
  }
  const services: Service[] = [
    { prefix: '/pods', produces: JSON_ALONE, routes: [{ path: '', methods: { GET: podList(host) } }] },
    { prefix: '/stats/', produces: JSON_ALONE, routes: [{ path: '/summary', methods: { GET: summary, POST: summary } }] },
  ]
  if (config.debuggingHandlers) addDebugging(deps, plain, services)
  else addDisabled(services)
  return { services, plain }
}

function addDebugging(
  { host, config, clock, startedMs, version }: RouteTableDeps,
  plain: Record<string, Handler>,
  services: Service[],
): void {
  const now = () => clock.now()
  const [execHandler, attachHandler] = [commandStream('exec', { host, clock }), commandStream('attach', { host, clock })]
  const ports = portStream({ host })
  const both = (prefix: string, paths: readonly string[], handler: Handler): Service => ({
    prefix,
    routes: paths.map((path) => ({ path, methods: { GET: handler, POST: handler } })),
  })
  const runHandler = run(host)
  const logs = systemLogs(host.runtime, startedMs)
  services.push(
    { prefix: '/run', routes: COMMAND_PATHS.map((path) => ({ path, methods: { POST: runHandler } })) },
    both('/exec', COMMAND_PATHS, execHandler),
    both('/attach', COMMAND_PATHS, attachHandler),
    both('/portForward', ['/{podNamespace}/{podID}', '/{podNamespace}/{podID}/{uid}'], ports),
    { prefix: '/containerLogs', routes: [{ path: COMMAND_PATHS[0] ?? '', methods: { GET: containerLogs(host, now) } }] },
    { prefix: '/runningpods/', produces: JSON_ALONE, routes: [{ path: '', methods: { GET: runningPods(host) } }] },
    { prefix: '/checkpoint/', produces: JSON_ALONE, routes: [{ path: COMMAND_PATHS[0] ?? '', methods: { POST: checkpoint(host, now) } }] },
  )
  if (config.systemLogs)
    services.push({
      prefix: '/logs/',
      routes: [
        { path: '', methods: { GET: logs } },
        { path: '/{logpath:*}', methods: { GET: logs } },
      ],
    })
  else services.push(closed('/logs/', 'logs endpoint is disabled.'))
  if (config.profiling) services.push({ prefix: '/debug/pprof/', routes: [{ path: '/{subpath:*}', methods: { GET: profile } }] })
  else services.push(closed('/debug/pprof/', 'profiling endpoint is disabled.'))
  plain['/debug/flags/v'] = config.debugFlags ? verbosity(() => {}) : disabled('flags endpoint is disabled.')
  plain['/configz'] = () => json(JSON.stringify({ kubeletconfig: config.shown }), { 'X-Content-Type-Options': 'nosniff' })
  plain['/flagz'] = flagz
  plain['/statusz'] = statusz({ startedMs, now, version: version.replace(/^v(\d+\.\d+).*/, '$1') })
}

/** What the agent and its server count; it has no timestamps. */
const agentText = (families: readonly AgentFamily[]): string => (families.length === 0 ? '' : agentExposition(families).trimStart())

const disabled =
  (why: string): Handler =>
  () =>
    errorText(405, why)

/** Disables everything below these paths, for all methods. */
function addDisabled(services: Service[]): void {
  for (const name of ['run', 'exec', 'attach', 'portForward', 'containerLogs', 'runningpods', 'debug/pprof', 'logs'])
    services.push(closed(`/${name}/`, 'Debug endpoints are disabled.'))
}

const closed = (prefix: string, why: string): Service => ({
  prefix,
  produces: ['*/*'],
  routes: ['', '/{rest:*}'].map((path) => ({ path, methods: anyMethod(why) })),
})

const anyMethod = (why: string) =>
  Object.fromEntries(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map((method) => [method, disabled(why)]))

/** There are no Go profiles here; only the command line is served. */
const profile: Handler = ({ parameters: { subpath } }) => {
  if (subpath === 'cmdline')
    return {
      code: 200,
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
      body: process.argv.join('\0'),
    }
  const unsniffed = { 'X-Content-Type-Options': 'nosniff' }
  if (subpath === 'symbol') return text(200, 'num_symbols: 1\n', unsniffed)
  if (subpath === undefined) return NOT_FOUND
  const { headers, ...unknown } = errorText(404, 'Unknown profile')
  return { ...unknown, headers: { ...headers, 'X-Go-Pprof': '1' } }
}

const sliFamily = (alive: boolean): Family => ({
  name: 'kubernetes_healthcheck',
  type: 'gauge',
  stability: 'STABLE',
  help: 'What the health checks say: 1 is well',
  samples: ['ping', 'log', 'syncloop', 'device-plugin'].map((name) => ({
    labels: { name, type: 'healthz' },
    value: name === 'syncloop' && !alive ? 0 : 1,
  })),
})
