import { isObject, type Json } from '../../src/machinery/object.ts'
import type { Draw } from './draw.ts'

/** A value as YAML in any of its styles, sometimes with a slip that its readers judge. */
export function looseYaml(draw: Draw, value: Json): string {
  const document = blockOf(draw, value, '').replace(/^\n/, '')
  return draw.pick([
    document,
    ...[document, document, `---\n${document}`, `# c\n${document}`, `%YAML 1.2\n---\n${document}`],
    ...[`${document}\n---\n`, `${document}\n---\na: b\n`, `${document}\n...\n`, `\uFEFF${document}`, `---\n---\n${document}`],
    ...[document.replaceAll('\n', '\r\n'), document.replace('  ', '\t'), `${document}\n<<: {x: y}\n`, `x: &a {b: c}\ny: *a\n${document}`],
  ])
}

/** What stands after the colon or dash that leads to the value: on its line, or on the following lines. */
function blockOf(draw: Draw, value: Json, indent: string): string {
  const flow = draw.chance(0.15)
  if (Array.isArray(value)) {
    if (flow || value.length === 0) return ` [${value.map((item) => flowOf(draw, item)).join(', ')}]`
    const inner = draw.chance(0.5) ? indent : `${indent}  `
    return value.map((item) => `\n${inner}-${blockOf(draw, item, `${inner}  `)}`).join('')
  }
  if (!isObject(value)) return ` ${scalarOf(draw, value, indent)}`
  const entries = Object.entries(value)
  if (flow || entries.length === 0) return ` ${flowOf(draw, value)}`
  const comment = () => (draw.chance(0.05) ? ' # c' : '')
  const members = entries.map(
    ([name, member]) => `\n${indent}${keyOf(draw, name)}:${blockOf(draw, member ?? null, `${indent}  `)}${comment()}`,
  )
  return [...members, ...draw.some(members, 0.02)].join('')
}

function flowOf(draw: Draw, value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item) => flowOf(draw, item)).join(', ')}]`
  if (!isObject(value)) return draw.chance(0.5) ? JSON.stringify(value) : quoted(draw, value)
  return `{${Object.entries(value)
    .map(([name, member]) => `${keyOf(draw, name)}: ${flowOf(draw, member ?? null)}`)
    .join(', ')}}`
}

const keyOf = (draw: Draw, name: string): string => (/^[\w./-]+$/.test(name) && draw.chance(0.9) ? name : JSON.stringify(name))

const quoted = (draw: Draw, value: Json): string =>
  typeof value === 'string'
    ? value.includes('\n') || draw.chance(0.5)
      ? JSON.stringify(value)
      : `'${value.replaceAll("'", "''")}'`
    : String(value)

function scalarOf(draw: Draw, value: Json, indent: string): string {
  if (draw.chance(0.04)) return draw.pick(ODD)
  if (typeof value === 'string') {
    const isPlain = /^[A-Za-z][\w./-]*$/.test(value)
    if (draw.chance(0.1)) return `${draw.pick(['|', '>', '|-', '>-', '|+', '|2'])}\n${value.replace(/^/gm, `${indent}  `)}`
    return isPlain && draw.chance(0.8) ? value : quoted(draw, value)
  }
  return draw.chance(0.1) ? quoted(draw, String(value)) : String(value)
}

/** Plain scalars that versions of YAML read differently, tags, anchors and slips. */
const ODD: readonly [string, ...string[]] = [
  'yes',
  ...['No', 'on', 'y', '~', 'Null', 'TRUE', '0x1F', '0o17', '017', '0b11', '1_000', '1e3', '.5', '+1', '-0', '.inf', '-.INF', '.nan'],
  ...['2026-01-02', '2026-01-02T03:04:05Z', '1:30', '1.0', '1.50', '0.1e400', ''],
  ...[
    '!!str 5',
    '!!int "5"',
    '!!binary YQ==',
    '!!float 1',
    '!x y',
    '&a b',
    '*a',
    '"\\x41\\u00e9"',
    '"\\q"',
    "'it''s'",
    '"open',
    '@a',
    '`a`',
    '%a',
    'a: b',
    '- a',
    '? a',
    '{a: }',
    '[a, ]',
    'a #b',
    '"a" b',
  ],
]
