import type { ReportedCpu, ReportedDevices, ReportedNumaNode, TopologyReport } from '../../resources/bowsprit/topology-report.ts'
import { barOf, cachesOf, devicesText, memoryText, rangeText } from './node-text.ts'

const COLOURS: Readonly<Record<ReportedCpu['use'], string>> = { own: '#2b6cb0', others: '#a0aec0', reserved: '#d69e2e', shared: '#ffffff' }
const WORDS: Readonly<Record<ReportedCpu['use'], string>> = {
  own: 'this pod',
  others: 'other pods',
  reserved: 'reserved',
  shared: 'free or shared',
}
const CELL = 18
const GAP = 6
const LINE = 20
const BAR = 300

/** The NUMA nodes of a report as a picture: a standalone document without scripts and external resources. */
export function whyNodeSvg({ metadata, summary, numaNodes, devices }: TopologyReport): string {
  const parts: string[] = []
  let y = LINE
  const text = (x: number, at: number, what: string, more = '') => parts.push(`<text x="${x}" y="${at}"${more}>${escaped(what)}</text>`)
  text(GAP, y, `pod ${metadata.namespace}/${metadata.name}: ${summary}`, ' font-weight="bold"')
  let width = BAR * 2 + 4 * GAP
  const boxes = [
    ...numaNodes.map((node) => (top: number) => drawn(node, top)),
    ...(devices.length === 0 ? [] : [(top: number) => drawnApart(devices, top)]),
  ]
  for (const draw of boxes) {
    y += LINE
    const { svg, height, right } = draw(y)
    parts.push(svg)
    y += height
    width = Math.max(width, right + GAP)
  }
  y += LINE
  let x = GAP
  for (const use of ['own', 'others', 'reserved', 'shared'] as const) {
    parts.push(cell(x, y - 12, use, WORDS[use]))
    text(x + CELL + 4, y + 2, WORDS[use])
    x += 150
  }
  const size = `width="${width}" height="${y + LINE}" viewBox="0 0 ${width} ${y + LINE}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="13">\n${parts.join('\n')}\n</svg>`
}

function drawn(node: ReportedNumaNode, top: number) {
  const parts: string[] = []
  const sockets = [...new Set(node.cpus.map((c) => c.socket))].join(' and ')
  let y = top + LINE
  let right = 0
  parts.push(
    `<text x="${2 * GAP}" y="${y}">${escaped(`NUMA node ${node.id}, socket ${sockets}: cpus ${rangeText(node.cpus.map((c) => c.id))}`)}</text>`,
  )
  y += GAP
  for (const cores of cachesOf(node.cpus)) {
    let x = 2 * GAP
    for (const core of cores) {
      for (const cpu of core) {
        parts.push(cell(x, y, cpu.use, `cpu ${cpu.id}: ${WORDS[cpu.use]}`))
        x += CELL
      }
      x += GAP
    }
    right = Math.max(right, x)
    y += CELL + GAP
  }
  for (const memory of node.memory) {
    if (memory.total === 0) continue
    let x = 2 * GAP
    const uses = ['own', 'others', 'reserved', 'shared'] as const
    for (const [i, length] of barOf(memory, BAR).entries()) {
      const use = uses[i] ?? 'shared'
      if (length > 0) parts.push(`<rect x="${x}" y="${y}" width="${length}" height="12" fill="${COLOURS[use]}" stroke="#4a5568"/>`)
      x += length
    }
    parts.push(`<text x="${x + GAP}" y="${y + 11}">${escaped(`${memory.type}: ${memoryText(memory)}`)}</text>`)
    right = Math.max(right, x + BAR)
    y += LINE
  }
  for (const devices of node.devices) {
    const row = deviceRow(devices, y)
    parts.push(row.svg)
    right = Math.max(right, row.right)
    y += CELL + GAP
  }
  return boxed(parts, { top, bottom: y, right })
}

/** Devices without a NUMA node. */
function drawnApart(devices: readonly ReportedDevices[], top: number) {
  const parts = [`<text x="${2 * GAP}" y="${top + LINE}">Of no NUMA node</text>`]
  let y = top + LINE + GAP
  let right = 0
  for (const row of devices.map((d, i) => deviceRow(d, y + i * (CELL + GAP)))) {
    parts.push(row.svg)
    right = Math.max(right, row.right)
    y += CELL + GAP
  }
  return boxed(parts, { top, bottom: y, right })
}

function boxed(
  parts: readonly string[],
  { top, bottom, right }: { readonly top: number; readonly bottom: number; readonly right: number },
) {
  const box = `<rect x="${GAP}" y="${top}" width="${right}" height="${bottom - top}" fill="none" stroke="#718096" rx="4"/>`
  return { svg: [box, ...parts].join('\n'), height: bottom - top, right: right + 2 * GAP }
}

/** The most devices per row. */
const MOST_DRAWN = 64

/** A circle for each device; an unhealthy one is crossed out. */
function deviceRow(devices: ReportedDevices, y: number) {
  const parts: string[] = []
  let x = 2 * GAP
  for (const { id, use, healthy } of devices.devices.slice(0, MOST_DRAWN)) {
    const title = `${devices.resource} ${id}: ${use === 'free' ? 'free' : WORDS[use]}${healthy ? '' : ', unhealthy'}`
    const [cx, cy, r] = [x + CELL / 2, y + CELL / 2, CELL / 2 - 1]
    const fill = COLOURS[use === 'free' ? 'shared' : use]
    parts.push(
      `<circle cx="${cx}" cy="${cy}" r="${r}" fill="${fill}" stroke="${healthy ? '#4a5568' : '#c53030'}"><title>${escaped(title)}</title></circle>`,
    )
    if (!healthy) parts.push(`<path d="M${x + 4} ${y + 4}L${x + CELL - 4} ${y + CELL - 4}" stroke="#c53030" stroke-width="2"/>`)
    x += CELL
  }
  parts.push(`<text x="${x + GAP}" y="${y + 13}">${escaped(`${devices.resource}: ${devicesText(devices)}`)}</text>`)
  return { svg: parts.join('\n'), right: x + BAR }
}

const cell = (x: number, y: number, use: ReportedCpu['use'], title: string) =>
  `<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" fill="${COLOURS[use]}" stroke="#4a5568"><title>${escaped(title)}</title></rect>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
