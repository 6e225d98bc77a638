import type { Json, JsonObject } from '../../../src/machinery/object.ts'
import type { Step } from '../case.ts'
import type { Draw } from '../draw.ts'
import type { Subject } from '../subject.ts'

const SERVICES = '/api/v1/namespaces/{ns}/services'

/** What the first service got: its address, and its port on nodes. */
const SAVE = { ip: '/spec/clusterIP', port: '/spec/ports/0/nodePort', health: '/spec/healthCheckNodePort', rv: '/metadata/resourceVersion' }

/** Services are created, change their type and ports, ask for what others have, and go. */
export function services({ draw }: Subject): Step[] {
  const first = service(draw, 'a', { ...spec(draw), type: draw.pick(['NodePort', 'LoadBalancer', 'ClusterIP']) })
  return [
    { do: 'POST', path: SERVICES, ...sent(first), save: SAVE },
    ...draw.several(7, 10, () => step(draw)),
    ...['a', 'b'].map((name): Step => ({ do: 'GET', path: `${SERVICES}/${name}` })),
  ]
}

const service = (draw: Draw, name: string, of: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, ...draw.members({ labels: [{ a: 'b' }], annotations: [{ 'service.kubernetes.io/topology-mode': 'Auto' }] }, 0.1) },
  spec: of,
})

/** The body, in which saved ports are numbers. */
const sent = (body: JsonObject): Pick<Step, 'headers' | 'text'> => ({
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify(body).replace(/"(\{(?:port|health)\})"/g, '$1'),
})

function step(draw: Draw): Step {
  const name = draw.pick(['a', 'a', 'a', 'b', 'c'])
  const query = draw.pick(['', '', '', '', '?dryRun=All', '?fieldManager=m'])
  const path = `${SERVICES}/${name}${query}`
  switch (
    draw.pick([
      'create',
      'create',
      'put',
      'put',
      'merge',
      'merge',
      'merge',
      'json',
      'strategic',
      'apply',
      'status',
      'get',
      'delete',
      'clear',
    ])
  ) {
    case 'create':
      return { do: 'POST', path: `${SERVICES}${query}`, ...sent(service(draw, name, spec(draw))) }
    case 'put': {
      const body = service(draw, name, spec(draw))
      const metadata = { name, ...(name === 'a' && draw.chance(0.3) && { resourceVersion: '{rv}' }) }
      return { do: 'PUT', path, ...sent({ ...body, metadata }) }
    }
    case 'json': {
      const ops: JsonObject[] = [
        { op: 'replace', path: '/spec/type', value: draw.pick(TYPES) },
        {
          op: 'remove',
          path: draw.pick(['/spec/clusterIP', '/spec/clusterIPs', '/spec/ports/0/nodePort', '/spec/ports/0', '/spec/selector']),
        },
      ]
      return { do: 'PATCH', path, headers: { 'content-type': 'application/json-patch+json' }, body: draw.some(ops, 0.7) }
    }
    case 'strategic': {
      const body = { spec: { ...draw.members({ type: TYPES }, 0.4), ports: draw.some<JsonObject>(PORTS, 0.2) } }
      return { do: 'PATCH', path, headers: { 'content-type': 'application/strategic-merge-patch+json' }, text: sent(body).text ?? '' }
    }
    case 'apply': {
      const headers = { 'content-type': 'application/apply-patch+yaml' }
      const force = draw.pick(['', '&force=true'])
      return {
        do: 'PATCH',
        path: `${SERVICES}/${name}?fieldManager=${draw.pick(['m', 'n'])}${force}`,
        headers,
        text: sent(service(draw, name, spec(draw))).text ?? '',
      }
    }
    case 'status':
      return { do: 'PATCH', path: `${SERVICES}/${name}/status`, body: { status: draw.members(STATUS, 0.7), spec: { type: 'NodePort' } } }
    case 'get':
      return {
        do: 'GET',
        path: draw.pick([SERVICES, `${SERVICES}?fieldSelector=spec.clusterIP=None`, `${SERVICES}?fieldSelector=spec.type=NodePort`, path]),
      }
    case 'delete':
      return { do: 'DELETE', path }
    case 'clear':
      return { do: 'DELETE', path: SERVICES }
    default:
      return {
        do: 'PATCH',
        path,
        headers: { 'content-type': 'application/merge-patch+json' },
        text: sent({ spec: draw.members(CHANGES, 0.12) }).text ?? '',
      }
  }
}

const TYPES: readonly [string, ...string[]] = ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', '']

const PORTS: readonly [JsonObject, ...JsonObject[]] = [
  { port: 80 },
  { name: 'a', port: 80, targetPort: 'http' },
  { name: 'b', port: 81, protocol: 'UDP', appProtocol: 'kubernetes.io/h2c' },
  { name: 'b', port: 81, protocol: 'UDP', nodePort: '{port}' },
  { name: 'c', port: 80, protocol: 'UDP', nodePort: '{port}' },
  { name: 'd', port: 82, nodePort: '{port}' },
  { name: 'e', port: 83, protocol: 'SCTP', nodePort: 0 },
  { name: 'f', port: 84, nodePort: 29999 },
]

const spec = (draw: Draw): JsonObject => ({
  ...draw.members({ type: TYPES }, 0.7),
  ...(draw.chance(0.9) && { ports: draw.chance(0.5) ? [draw.pick(PORTS)] : draw.some(PORTS, 0.3) }),
  ...draw.members(SPEC, 0.1),
})

const SPEC: Readonly<Record<string, readonly Json[]>> = {
  selector: [{ app: 'web' }, {}],
  clusterIP: ['None', 'None', '{ip}', '', '10.0.1.7', 'x'],
  clusterIPs: [['None'], ['{ip}'], ['{ip}', 'fd00::1'], []],
  externalName: ['example.com', 'A_b', ''],
  externalIPs: [['192.0.2.1'], ['127.0.0.1'], []],
  externalTrafficPolicy: ['Local', 'Cluster', 'x'],
  internalTrafficPolicy: ['Local', 'Cluster'],
  sessionAffinity: ['ClientIP', 'None'],
  sessionAffinityConfig: [{ clientIP: { timeoutSeconds: 10 } }, { clientIP: { timeoutSeconds: 0 } }],
  ipFamilies: [['IPv4'], ['IPv6'], ['IPv4', 'IPv6']],
  ipFamilyPolicy: ['SingleStack', 'PreferDualStack', 'RequireDualStack'],
  healthCheckNodePort: ['{health}', '{port}', 0, 29999],
  allocateLoadBalancerNodePorts: [true, false],
  loadBalancerIP: ['192.0.2.2'],
  loadBalancerClass: ['example.com/lb', 'x y'],
  loadBalancerSourceRanges: [['192.0.2.0/24'], ['192.0.2.0/40']],
  publishNotReadyAddresses: [true],
  trafficDistribution: ['PreferClose', 'PreferSameNode', 'x'],
}

/** What a merge patch changes; null removes. */
const CHANGES: Readonly<Record<string, readonly Json[]>> = {
  ...Object.fromEntries(Object.entries(SPEC).map(([name, values]) => [name, [...values, null]])),
  type: [...TYPES, ...TYPES, null],
  ports: [[PORTS[0]], PORTS.slice(1, 3), PORTS.slice(4, 6), []],
}

const STATUS: Readonly<Record<string, readonly Json[]>> = {
  loadBalancer: [
    { ingress: [{ ip: '192.0.2.3' }] },
    { ingress: [{ ip: '192.0.2.3', ipMode: 'Proxy', ports: [{ port: 80, protocol: 'TCP' }] }] },
    { ingress: [{ hostname: 'a.example.com' }, { ip: 'x' }] },
    {},
  ],
  conditions: [[{ type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' }], [{ type: 'A' }]],
}
