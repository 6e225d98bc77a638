import type {
  ReportedCpu,
  ReportedDecision,
  ReportedDevice,
  ReportedDevices,
  ReportedHint,
  ReportedMemory,
  ReportedNumaNode,
  TopologyReport,
} from '../../resources/bowsprit/topology-report.ts'
import { aligned } from '../aligned.ts'

/** A report on one node as text: the hints, the merge, the verdict, and the machine. */
export function whyNodeText(report: TopologyReport): string {
  const { metadata, summary, policy, scope, decisions } = report
  const parts = [`pod ${metadata.namespace}/${metadata.name}: ${summary}`, `topology policy ${policy}, scope ${scope}`]
  if (decisions.length > 0) parts.push(decisionTable(decisions))
  else parts.push(policy === 'none' ? 'This policy asks for no hints.' : 'What was decided about it is not kept any more.')
  parts.push(drawing(report))
  return parts.join('\n\n')
}

/** The most hints of one resource that are listed. */
const MAX_HINTS = 12

const shown = ({ mask, preferred }: ReportedHint) => `${mask ?? 'any'}${preferred ? '*' : ''}`

function hintsText(hints: readonly ReportedHint[] | undefined): string {
  if (hints === undefined) return 'any'
  if (hints.length === 0) return 'none: it cannot be met'
  const more = hints.length - MAX_HINTS
  return `${hints.slice(0, MAX_HINTS).map(shown).join(' ')}${more > 0 ? ` … and ${more} more` : ''}`
}

function decisionTable(decisions: readonly ReportedDecision[]): string {
  const rows = decisions.flatMap(({ container = '(all)', hints, merged, admitted }) => [
    ...hints.map((h, i) => [
      i === 0 ? container : '',
      h.provider,
      h.resource ?? '-',
      hintsText(h.resource === undefined ? undefined : h.hints),
    ]),
    ['', 'merged', '', `${shown(merged)}  ${admitted ? 'admitted' : 'turned away'}`],
  ])
  return [
    aligned([['CONTAINER', 'PROVIDER', 'RESOURCE', 'NUMA NODES'], ...rows]),
    'A bit for each NUMA node, node 0 last; * is preferred.',
  ].join('\n')
}

/** The character for each use. */
export const MARKS: Readonly<Record<ReportedCpu['use'], string>> = { own: '#', others: 'x', reserved: 'r', shared: '.' }

function drawing({ numaNodes, devices }: TopologyReport): string {
  const nodes = numaNodes.map((node: ReportedNumaNode) => {
    const sockets = [...new Set(node.cpus.map((c) => c.socket))]
    const lines = cachesOf(node.cpus).map(
      (cores) => `  cpus  ${cores.map((core) => `[${core.map((c) => MARKS[c.use]).join('')}]`).join(' ')}`,
    )
    return [
      `NUMA node ${node.id}, socket ${sockets.join(' and ')}: cpus ${rangeText(node.cpus.map((c) => c.id))}`,
      ...lines,
      ...node.memory.filter((m) => m.total > 0).map(memoryLine),
      ...node.devices.map(deviceLine),
    ].join('\n')
  })
  if (devices.length > 0) nodes.push(['Of no NUMA node', ...devices.map(deviceLine)].join('\n'))
  const sick = [...numaNodes.flatMap((n) => n.devices), ...devices].some((d) => d.unhealthy > 0)
  return [...nodes, `${LEGEND}${sick ? '; ! unhealthy' : ''}`].join('\n')
}

const LEGEND = '# this pod, x other pods, r reserved, . free or shared; [ ] one core, one line for each last-level cache'

/** The mark of a device: its user, and whether it is unhealthy. */
export const deviceMark = ({ use, healthy }: ReportedDevice): string => `${{ own: '#', others: 'x', free: '.' }[use]}${healthy ? '' : '!'}`

/** The most devices per line. */
const MOST_DRAWN = 64

function deviceLine(devices: ReportedDevices): string {
  const drawn = devices.devices.slice(0, MOST_DRAWN)
  const marks = drawn.map((d) => `[${deviceMark(d)}]`).join(' ')
  return `  ${devices.resource}  ${marks}${devices.total > drawn.length ? ' …' : ''}  ${devicesText(devices)} of ${devices.total}`
}

/** `dongle-0, dongle-1 of this pod, 1 of others, 2 free`. */
export function devicesText({ devices, own, others, free, unhealthy }: ReportedDevices): string {
  const mine = devices.filter((d) => d.use === 'own').map((d) => d.id)
  const names = `${mine.slice(0, MAX_HINTS).join(', ')}${mine.length > MAX_HINTS ? ', …' : ''}`
  const parts = [
    own > 0 && `${names} of this pod`,
    others > 0 && `${others} of others`,
    unhealthy > 0 && `${unhealthy} unhealthy`,
    `${free} free`,
  ]
  return parts.filter((p) => p !== false).join(', ')
}

/** The CPUs by last-level cache and core. */
export function cachesOf(cpus: readonly ReportedCpu[]): readonly (readonly (readonly ReportedCpu[])[])[] {
  const caches = new Map<number, Map<number, ReportedCpu[]>>()
  for (const cpu of cpus) {
    const cores = caches.get(cpu.cache) ?? new Map<number, ReportedCpu[]>()
    caches.set(cpu.cache, cores.set(cpu.core, [...(cores.get(cpu.core) ?? []), cpu]))
  }
  return [...caches.values()].map((cores) => [...cores.values()])
}

const BAR = 32

/** The length of each part of the bar: own, others, reserved, free. A part that is not empty is visible. */
export function barOf({ total, own, others, reserved }: ReportedMemory, length: number): readonly [number, number, number, number] {
  const part = (bytes: number) => (bytes === 0 ? 0 : Math.max(1, Math.round((bytes / total) * length)))
  const [a, b, c] = [part(own), part(others), part(reserved)]
  return [a, b, c, Math.max(0, length - a - b - c)]
}

function memoryLine(memory: ReportedMemory): string {
  const [own, others, reserved, free] = barOf(memory, BAR)
  const { type, total } = memory
  return `  ${type}  ${'#'.repeat(own)}${'x'.repeat(others)}${'r'.repeat(reserved)}${'.'.repeat(free)}  ${memoryText(memory)} of ${bytesText(total)}`
}

export function memoryText({ total, own, others, reserved }: ReportedMemory): string {
  const free = total - own - others - reserved
  const parts = [
    [own, 'of this pod'],
    [others, 'of others'],
    [reserved, 'reserved'],
    [free, 'free'],
  ] as const
  return parts.flatMap(([bytes, word]) => (bytes === 0 ? [] : [`${bytesText(bytes)} ${word}`])).join(', ')
}

export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && value % 1024 === 0 && unit < 4) {
    value /= 1024
    unit++
  }
  return `${value}${['', 'Ki', 'Mi', 'Gi', 'Ti'][unit]}`
}

/** `0-3,8`. */
export function rangeText(ids: readonly number[]): string {
  const sorted = [...ids].sort((a, b) => a - b)
  const parts: string[] = []
  for (let i = 0; i < sorted.length; i++) {
    const from = sorted[i] ?? 0
    while ((sorted[i + 1] ?? -1) === (sorted[i] ?? 0) + 1) i++
    const to = sorted[i] ?? from
    parts.push(from === to ? String(from) : `${from}-${to}`)
  }
  return parts.join(',')
}
