import { stripVTControlCharacters, styleText } from 'node:util'
import { trailPage } from '../../page/server/object/trail-page.ts'
import type { TrailLine, TrailLink, TrailPage } from '../../page/wire/trail-page.ts'
import type { RequestTrail } from '../../resources/bowsprit/request-trail.ts'

/** A request's way through the server, as the page shows it. */
export function traceText(trail: RequestTrail): string {
  const page = trailPage(trail)
  const names = page.lines.map(({ name, depth }) => '  '.repeat(depth) + name)
  const width = Math.max(...names.map((name) => name.length))
  return [headText(page), ...page.lines.map((line, i) => lineText(line, (names[i] ?? '').padEnd(width))), ...causedText(page.caused)].join(
    '\n',
  )
}

function headText({ code, summary, user, tookMs, message, tone }: TrailPage): string {
  const took = tookMs === null ? '' : ` in ${tookMs.toFixed(1)} ms`
  const text = styleText(tone === 'bad' ? 'red' : 'green', `${code}`)
  return `${text} ${summary} by ${user}${took}${message === '' ? '' : `\n${message}`}`
}

function lineText({ what, tone, tookMs, changes }: TrailLine, name: string): string {
  const took = tookMs === null ? ''.padEnd(10) : `${tookMs.toFixed(2)} ms`.padStart(10)
  const line = `  ${name}  ${took}  ${what}`.trimEnd()
  const below = ' '.repeat(stripVTControlCharacters(name).length + 16)
  return [tone === 'bad' ? styleText('red', line) : line, ...changes.map((change) => styleText('cyan', below + change))].join('\n')
}

function causedText(links: readonly TrailLink[]): readonly string[] {
  if (links.length === 0) return []
  return ['  it caused', ...links.map(({ controller, what }) => `    ${what}  (${controller})`)]
}
